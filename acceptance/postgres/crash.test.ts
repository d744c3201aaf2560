import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test';
import { until } from '../../conformance/shared/until.ts';
import type { Logger } from '../../src/engine/ports/logger.ts';
import type { Store } from '../../src/engine/ports/store.ts';
import { sampleEntry, sampleHealth, sampleModel, sampleRecord } from '../../src/engine/ports/testing/samples.ts';
import { openPool, query } from '../../src/stores/postgres/connection.ts';
import { DatabaseAwayError } from '../../src/stores/postgres/database-away-error.ts';
import { PostgresLedger } from '../../src/stores/postgres/ledger.ts';
import { openPostgresStore } from '../../src/stores/postgres/postgres-store.ts';
import { startTestPostgres, type TestPostgres } from '../../src/stores/shared/testing/postgres.ts';
import { WriteHealth } from '../../src/stores/shared/write-health.ts';
import { spendAll } from './spend-all.ts';

/* Tests stores whose server crashes or rejects writes. The server belongs to these tests. */

const clock = { nowMs: () => 1_790_000_000_000, monotonicMs: () => performance.now() };

let server: TestPostgres;
let opened: Store[] = [];
let logged: string[] = [];
const note = (_fields: unknown, message: string) => void logged.push(message);
const logger: Logger = { debug: note, info: note, warn: note, error: note };

beforeAll(async () => {
  server = await startTestPostgres();
}, 600_000);
afterAll(() => server.stop(), 60_000);
beforeEach(() => {
  logged = [];
});
afterEach(async () => {
  await Promise.all(opened.map((store) => store.close()));
  opened = [];
});

async function open(url: string): Promise<Store> {
  const store = await openPostgresStore({ url, secret: 'a long master secret', clock, logger });
  opened.push(store);
  return store;
}

test('a server crash causes errors until it restarts, and loses no line of the log', async () => {
  const store = await open(await server.createMigratedDatabase());
  try {
    await store.directory.write('all', (writer) => writer.putModel(sampleModel()));
    for (const requestId of ['1', '2']) store.requestLog.append(sampleRecord({ requestId }));
    await store.requestLog.flush();
    await server.crash();
    store.requestLog.append(sampleRecord({ requestId: '3', atMs: 1_790_000_000_003 }));
    const calls = [
      store.directory.state(),
      store.directory.read('all'),
      store.directory.write('all', (writer) => writer.putModel(sampleModel({ status: 'hold' }))),
      store.responses.get('acme', 'resp_1'),
      store.health.write([sampleHealth()]),
      store.requestLog.flush(),
    ];
    // They are awaited together, because a rejection that nobody awaits yet would be unhandled.
    for (const outcome of await Promise.allSettled(calls)) {
      const error = outcome.status === 'rejected' ? outcome.reason : null;
      expect(error).toBeInstanceOf(DatabaseAwayError);
      expect(error.message).toMatch(/^The PostgreSQL database (cannot be reached|does not respond): /);
    }
    await server.restart();
    expect((await store.directory.read('all')).models).toEqual([sampleModel()]);
    await store.requestLog.flush();
    expect((await store.requestLog.recent(10)).map(({ requestId }) => requestId)).toEqual(['3', '2', '1']);
    expect(logged).toContain('request log lines could not be written and will be retried');
  } finally {
    await server.restart();
  }
}, 600_000);

test('a read-only or unavailable database is distinguished from a writable one', async () => {
  const { storeHealth } = await open(await server.createMigratedDatabase());
  const problem = async () => {
    await storeHealth.check();
    return storeHealth.problem;
  };
  const readOnly = async (value: string) => {
    const pool = openPool({ url: server.url, logger, maxConnections: 1 });
    await query(pool, `alter system set default_transaction_read_only = ${value}`);
    await query(pool, 'select pg_reload_conf()');
    await pool.end();
  };
  try {
    expect(await problem()).toBeNull();
    await readOnly('on');
    await until('the problem is detected', async () => (await problem()) !== null);
    expect(await problem()).toBe('the database is read-only');
    await readOnly('off');
    await until('the problem is gone', async () => (await problem()) === null);
    await server.crash();
    expect(await problem()).toBe('the database is unavailable');
  } finally {
    await server.restart();
  }
  expect(await problem()).toBeNull();
});

test('a server crash during charges leaves no charge missing or doubled', async () => {
  const requests = 300;
  const pool = openPool({ url: await server.createMigratedDatabase(), logger });
  const health = new WriteHealth(async () => null);
  const ledger = new PostgresLedger({ pool, clock, nodeId: 'node', logger, health, leaseMs: 600_000 });
  await ledger.append(sampleEntry({ amountNanoUsd: BigInt(requests) + 60n }));
  let begun = 0;
  const spending = spendAll(ledger, requests, () => {
    begun += 1;
  });
  for (const requestsBefore of [40, 120, 200]) {
    await until('requests are in flight', () => begun > requestsBefore);
    await server.crash();
    await server.restart();
  }
  const outcomes = await spending;
  expect(outcomes.filter((outcome) => outcome === 'charged')).toHaveLength(requests);
  await ledger.append(sampleEntry({ idempotencyKey: 'rest', kind: 'adjustment', amountNanoUsd: -60n }));
  expect(await ledger.balance('acme')).toMatchObject({ balanceNanoUsd: 0n, leasedNanoUsd: 0n });
  expect(await ledger.spending()).toMatchObject([{ spentNanoUsd: BigInt(requests), leasedNanoUsd: 0n }]);
  expect((await ledger.verify()).problems).toEqual([]);
  await ledger.close();
  await pool.end();
}, 600_000);
