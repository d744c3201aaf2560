import { beforeAll, expect, test } from 'bun:test';
import { until } from '../../conformance/shared/until.ts';
import type { Store } from '../../src/engine/ports/store.ts';
import { inTransaction, openPool, type Session } from '../../src/stores/postgres/connection.ts';
import { openPostgresStore } from '../../src/stores/postgres/postgres-store.ts';
import { type SharedTestPostgres, sharedTestPostgres } from '../../src/stores/shared/testing/postgres.ts';

const clock = { nowMs: () => 1_790_000_000_000, monotonicMs: () => performance.now() };
const silent = () => {};
const logger = { debug: silent, info: silent, warn: silent, error: silent };

let server: SharedTestPostgres;

beforeAll(async () => {
  server = await sharedTestPostgres();
}, 600_000);

/** Opens a store and a connection that locks the request log while `use` runs. */
async function withLockedLog(use: (store: Store, session: Session) => Promise<void>): Promise<void> {
  const url = await server.createMigratedDatabase();
  const store = await openPostgresStore({ url, secret: 's', clock, logger });
  const pool = openPool({ url, logger });
  try {
    await inTransaction(pool, async (session) => {
      await session.query('LOCK TABLE request_log IN ACCESS EXCLUSIVE MODE');
      await use(store, session);
    });
  } finally {
    await Promise.all([store.close(), pool.end()]);
  }
}

/** Resolves when `count` connections wait for a lock. */
async function untilWaiting(session: Session, count: number): Promise<void> {
  await until(`${count} wait`, async () => {
    // A transaction's view of the statistics is fixed until the snapshot is cleared.
    await session.query('SELECT pg_stat_clear_snapshot()');
    const { rows } = await session.query(
      "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
    );
    return rows.length === count;
  });
}

function messageOf(counting: Promise<unknown>): Promise<string> {
  return counting.then(
    () => 'counted',
    (error: Error) => error.message,
  );
}

test('closing a store also ends its count on the server', async () => {
  await withLockedLog(async (store, session) => {
    const counting = messageOf(store.outcomes.count(0, clock.nowMs()));
    await untilWaiting(session, 1);
    await store.close();
    expect(await counting).toBe('The store is closed.');
    await untilWaiting(session, 0);
  });
});

test('closing a store also ends a count that waits for another', async () => {
  await withLockedLog(async (store, session) => {
    const counting = [1, 2].map(() => messageOf(store.outcomes.count(0, clock.nowMs())));
    await untilWaiting(session, 1);
    await store.close();
    expect(await Promise.all(counting)).toEqual(['The store is closed.', 'The store is closed.']);
  });
});

test('a closed store does not start a count', async () => {
  const store = await openPostgresStore({ url: await server.createMigratedDatabase(), secret: 's', clock, logger });
  await store.outcomes.count(0, clock.nowMs());
  await store.close();
  await expect(store.outcomes.count(0, clock.nowMs())).rejects.toThrow('The store is closed.');
});
