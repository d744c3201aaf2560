import { expect, test } from 'bun:test';
import { clientConfig } from './connection.ts';

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
