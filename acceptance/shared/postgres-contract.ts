import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { Pool } from 'pg';
import type { Clock } from '../../src/engine/ports/clock.ts';
import type { Store } from '../../src/engine/ports/store.ts';
import { query } from '../../src/stores/postgres/connection.ts';
import { endPools, openPools, type PostgresPools } from '../../src/stores/postgres/pools.ts';
import { openPostgresStore } from '../../src/stores/postgres/postgres-store.ts';
import { describeStoreContract, describeStoreLaws } from '../../src/stores/shared/testing/contract.ts';
import { ledgerArchiveTests } from '../../src/stores/shared/testing/ledger-archive-contract.ts';
import { type SharedTestPostgres, sharedTestPostgres } from '../../src/stores/shared/testing/postgres.ts';
import { retentionTests } from '../../src/stores/shared/testing/retention-contract.ts';

const silent = () => {};
const logger = { debug: silent, info: silent, warn: silent, error: silent };

/** Tests the stores on the shared PostgreSQL: their contract, and their laws with this number of random histories. */
export function describePostgresStores(histories: number): void {
  let server: SharedTestPostgres;
  let url: string;
  let pools: PostgresPools;

  beforeAll(async () => {
    server = await sharedTestPostgres();
    url = await server.createMigratedDatabase();
    // A server's new connections take more CPU than most of these tests.
    pools = await openPools({ url, logger });
  }, 600_000);
  afterAll(async () => {
    await endPools(pools);
    await server.dropDatabase(url);
  });

  async function openEmpty(clock: Clock) {
    await server.emptyDatabase(url);
    return openPostgresStore({ url, secret: 'a long master secret', clock, logger, pools });
  }

  describeStoreContract('PostgreSQL', openEmpty);
  describe('PostgreSQL store', () => describeRetention(openEmpty, () => pools.main));
  describeStoreLaws('PostgreSQL', openEmpty, histories);
}

function describeRetention(openEmpty: (clock: Clock) => Promise<Store>, pool: () => Pool): void {
  let store: Store;
  beforeEach(async () => {
    store = await openEmpty({ nowMs: () => Date.now(), monotonicMs: () => performance.now() });
  });
  afterEach(() => store.close());
  retentionTests(
    () => store,
    (sql) => query(pool(), sql),
  );
  ledgerArchiveTests(
    () => store,
    (sql) => query(pool(), sql),
  );

  test('only one of several nodes deletes at a time, until it releases the right or its time is over', async () => {
    const { retention } = store;
    expect(await retention.claim('a', 0, 100)).toBe(true);
    expect(await retention.claim('b', 99, 200)).toBe(false);
    expect(await retention.claim('a', 99, 199)).toBe(true);
    expect(await retention.claim('b', 199, 300)).toBe(true);
    await retention.release('b');
    expect(await retention.claim('a', 200, 300)).toBe(true);
  });
}
