import { describe, expect, test } from 'bun:test';
import { Failure } from '../../domain/failure/failure.ts';
import { uploadUrlHere } from './relayed-headers.ts';
import { tailProblem, uploadBase } from './upstream-place.ts';

describe('the path below an API', () => {
  test.each(['', '/file-1', '/file-1/content', '/files%3A1', '/abc:download', '/b-1:cancel'])('may be %j', (tail) => {
    expect(tailProblem({ tail, method: 'GET' })).toBeNull();
  });

  test.each([
    ...['/', '//', '/a//b', '/..', '/a/..', '/%2e%2e', '/%2E', '/a%2fb', '/a%5cb', '/%', '/a%00', '/a b', '/a%0a'],
    ...['/%252e', '/ü', 'x', `/${'a'.repeat(3_000)}`],
  ])('may not be %j', (tail) => {
    expect(tailProblem({ tail, method: 'GET' })).toBeInstanceOf(Failure);
  });
});

test('the Google upload path comes before the version', () => {
  expect(uploadBase('https://host/v1beta')).toBe('https://host/upload/v1beta');
});

describe('an upload URL', () => {
  const base = 'https://host/v1beta';
  const here = 'https://gateway';

  test('points here, without the key in it', () => {
    const there = 'https://host/upload/v1beta/files?key=secret&upload_id=1';
    expect(uploadUrlHere(there, base, here)).toBe('https://gateway/upload/v1beta/files?upload_id=1');
  });

  test.each(['https://evil/upload/v1beta/files', 'https://host/other', 'nothing', 'https://host/upload/v1betaX/files'])(
    'is not accepted from %s',
    (there) => {
      expect(uploadUrlHere(there, base, here)).toBeNull();
    },
  );
});
