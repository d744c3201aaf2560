import { describe, expect, test } from 'bun:test';
import { clientFormats } from '../../index.ts';
import { keyReader } from './credentials.ts';

const read = keyReader('authorization');

test.each<[string, string | null]>([
  ['Bearer sk-a', 'sk-a'],
  ['bearer sk-a', 'sk-a'],
  ['BEARER  sk-a ', 'sk-a'],
  ['sk-a', 'sk-a'],
  ['Bearer', null],
  ['Bearer   ', null],
  ['', null],
  ['Basic dXNlcjpwYXNz', null],
  ['Bearer sk-a sk-b', null],
  ['Bearer sk-a, Bearer sk-b', null],
  ['Bearersk-a', 'Bearersk-a'],
])('Authorization: %j', (value, key) => {
  expect(read(new Headers({ authorization: value }))).toBe(key);
});

describe.each([...clientFormats.values()].map((format) => [format.name, format] as const))('%s', (name, format) => {
  const all = { authorization: 'Bearer sk-1', 'x-api-key': 'sk-2', 'x-goog-api-key': 'sk-3', 'api-key': 'sk-4' };
  const secret = (headers: Record<string, string>) => format.secret(new Headers(headers), 'http://gateway/');

  test.each(Object.entries(all))('accepts a key in %s', (header, value) => {
    expect(secret({ [header]: value })).toBe(value.replace('Bearer ', ''));
  });

  test('prefers its own header, and ignores an empty one', () => {
    const own = { 'anthropic-messages': 'sk-2', gemini: 'sk-3' }[name] ?? 'sk-1';
    expect(secret(all)).toBe(own);
    expect(secret({ ...all, authorization: 'Basic dXNlcjpwYXNz', 'x-api-key': ' ', 'x-goog-api-key': '' })).toBe(
      'sk-4',
    );
    expect(secret({})).toBeNull();
  });
});
