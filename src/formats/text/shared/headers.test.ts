import { describe, expect, test } from 'bun:test';
import { clientFormats } from '../../index.ts';
import { anthropicLimitHeaders, keyReader, openaiLimitHeaders } from './headers.ts';

const state = (resetMs: number) => ({ limit: 60, remaining: 59, resetMs });

test.each([
  [0, '0ms'],
  [119.2, '120ms'],
  [999.5, '1000ms'],
  [1_000, '1s'],
  [1_001, '2s'],
  [59_999, '1m0s'],
  [60_000, '1m0s'],
  [90_500, '1m31s'],
])('%p ms are %s for OpenAI clients', (ms, text) => {
  const headers: Record<string, string> = {};
  openaiLimitHeaders({ requests: state(ms), tokens: null }, headers);
  expect(headers).toEqual({
    'x-ratelimit-limit-requests': '60',
    'x-ratelimit-remaining-requests': '59',
    'x-ratelimit-reset-requests': text,
  });
});

test('Anthropic clients get a time, rounded up to a second', () => {
  const headers: Record<string, string> = {};
  const nowMs = Date.parse('2026-11-22T13:00:00.500Z');
  anthropicLimitHeaders({ requests: state(60_000), tokens: state(0) }, headers, nowMs);
  expect(headers).toEqual({
    'anthropic-ratelimit-requests-limit': '60',
    'anthropic-ratelimit-requests-remaining': '59',
    'anthropic-ratelimit-requests-reset': '2026-11-22T13:01:01Z',
    'anthropic-ratelimit-tokens-limit': '60',
    'anthropic-ratelimit-tokens-remaining': '59',
    'anthropic-ratelimit-tokens-reset': '2026-11-22T13:00:01Z',
  });
});

test('no header is sent without a limit', () => {
  const headers = {};
  openaiLimitHeaders({ requests: null, tokens: null }, headers);
  anthropicLimitHeaders({ requests: null, tokens: null }, headers, 0);
  expect(headers).toEqual({});
});

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
