import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openPool, query, takesStatementTimeout } from '../../src/stores/postgres/connection.ts';
import { StatementTimeoutError } from '../../src/stores/postgres/database-away-error.ts';
import { openPostgresStore } from '../../src/stores/postgres/postgres-store.ts';
import { type SharedTestPostgres, sharedTestPostgres } from '../../src/stores/shared/testing/postgres.ts';
import { startRefusingPooler } from './refusing-pooler.ts';

const clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };
const silent = () => {};
const logger = { debug: silent, info: silent, warn: silent, error: silent };
const SLEEPERS = `SELECT pid FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%' AND datname = current_database() AND state = 'active'`;

let server: SharedTestPostgres;
let url: string;

beforeAll(async () => {
  server = await sharedTestPostgres();
  url = await server.createMigratedDatabase();
}, 600_000);
afterAll(() => server.dropDatabase(url));

test('a statement that times out is also ended on the server', async () => {
  const pool = openPool({ url, logger, statementTimeoutMs: 200, maxConnections: 1 });
  const observer = openPool({ url, logger, maxConnections: 1 });
  try {
    await expect(query(pool, 'SELECT pg_sleep(3600)')).rejects.toBeInstanceOf(StatementTimeoutError);
    expect((await query(observer, SLEEPERS)).rows).toEqual([]);
    expect((await query(pool, 'SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  } finally {
    await Promise.all([pool.end(), observer.end()]);
  }
});

test('a pooler that refuses the time-out setting is used without it', async () => {
  const pooler = await startRefusingPooler(url);
  try {
    expect(await takesStatementTimeout(url)).toBe(true);
    expect(await takesStatementTimeout(pooler.url)).toBe(false);
    const store = await openPostgresStore({ url: pooler.url, secret: 's', clock, logger });
    expect((await store.directory.state()).hasSeveralAccounts).toBe(false);
    await store.close();
    // One refusal per check; the store's own connections do not send the setting.
    expect(pooler.refused()).toBe(2);
  } finally {
    pooler.stop();
  }
});
