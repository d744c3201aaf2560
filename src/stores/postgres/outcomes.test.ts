import { beforeAll, expect } from 'bun:test';
import { testNeeding } from '../../../tools/test/needs.ts';
import type { Store } from '../../engine/ports/store.ts';
import {
  hasTestPostgres,
  POSTGRES_REQUIREMENT,
  type SharedTestPostgres,
  sharedTestPostgres,
} from '../shared/testing/postgres.ts';
import { inTransaction, openPool, type Session } from './connection.ts';
import { openPostgresStore } from './postgres-store.ts';

const isPresent = hasTestPostgres();
const postgresTest = testNeeding(POSTGRES_REQUIREMENT, isPresent);
const clock = { nowMs: () => 1_790_000_000_000, monotonicMs: () => performance.now() };
const silent = () => {};
const logger = { debug: silent, info: silent, warn: silent, error: silent };

let server: SharedTestPostgres;

beforeAll(async () => {
  if (isPresent) server = await sharedTestPostgres();
}, 60_000);

/** A store, and a connection that keeps everybody from the request log while `use` runs. */
async function withLockedLog(use: (store: Store, session: Session) => Promise<void>): Promise<void> {
  const url = await server.createDatabase();
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

/** Resolves when so many connections wait for a lock. */
async function untilWaiting(session: Session, count: number): Promise<void> {
  for (;;) {
    // What a transaction sees of the others' work stays as it was at first, unless it is told to look anew.
    await session.query('SELECT pg_stat_clear_snapshot()');
    const { rows } = await session.query(
      "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
    );
    if (rows.length === count) return;
    await Bun.sleep(5);
  }
}

function messageOf(counting: Promise<unknown>): Promise<string> {
  return counting.then(
    () => 'counted',
    (error: Error) => error.message,
  );
}

postgresTest('a count does not outlive its store, on the server neither', async () => {
  await withLockedLog(async (store, session) => {
    const counting = messageOf(store.outcomes.count(0, clock.nowMs()));
    await untilWaiting(session, 1);
    await store.close();
    expect(await counting).toBe('The store is closed.');
    await untilWaiting(session, 0);
  });
});

postgresTest('a count that waits for another one ends with the store, too', async () => {
  await withLockedLog(async (store, session) => {
    const counting = [1, 2].map(() => messageOf(store.outcomes.count(0, clock.nowMs())));
    await untilWaiting(session, 1);
    await store.close();
    expect(await Promise.all(counting)).toEqual(['The store is closed.', 'The store is closed.']);
  });
});

postgresTest('a store that is closed counts no more', async () => {
  const store = await openPostgresStore({ url: await server.createDatabase(), secret: 's', clock, logger });
  await store.outcomes.count(0, clock.nowMs());
  await store.close();
  await expect(store.outcomes.count(0, clock.nowMs())).rejects.toThrow('The store is closed.');
});
