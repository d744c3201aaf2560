import { expect, test } from 'bun:test';
import { DEFAULT_CONNECTIONS, LEAST_CONNECTIONS, sharesOf } from './connection-shares.ts';

test('all pools and the listener together use the configured number of connections', () => {
  for (let connections = LEAST_CONNECTIONS; connections <= 200; connections += 1) {
    const shares = Object.values(sharesOf(connections));
    expect(shares.reduce((sum, share) => sum + share, 1)).toBe(connections);
    expect(Math.min(...shares)).toBeGreaterThanOrEqual(1);
  }
});

test('half of them serve requests', () => {
  expect(sharesOf(DEFAULT_CONNECTIONS)).toEqual({ main: 10, responses: 4, keys: 2, reading: 3, counting: 1 });
});
