import { expect, test } from 'bun:test';
import { clientConfig, OPENING_TIMEOUT_MS } from './connection.ts';

test.each([
  ['', 5_000],
  ['?connect_timeout=20', 20_000],
  ['?sslmode=require&connect_timeout=20', 20_000],
  ['?connect_timeout=0', 5_000],
  ['?connect_timeout=soon', 5_000],
  ['?connect_timeout=1e9', 600_000],
])('a URL that ends with "%s" gives a connection %i ms', (end, expected) => {
  expect(clientConfig(`postgres://user@database/switchyard${end}`).connectionTimeoutMillis).toBe(expected);
});

test('a connection that no request waits for has its own time limit, unless the URL has one', () => {
  const limitOf = (url: string) => clientConfig(url, OPENING_TIMEOUT_MS).connectionTimeoutMillis;
  expect(limitOf('postgres://user@database/switchyard')).toBe(30_000);
  expect(limitOf('postgres://user@database/switchyard?connect_timeout=2')).toBe(2_000);
});
