import type { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rankByPreference, type SuccessSnapshot } from '../../domain/catalog/preference.ts';
import { SuccessRates } from '../../engine/model-listing/success-rates.ts';
import type { Store } from '../../engine/ports/store.ts';
import { sampleRecord } from '../../engine/ports/testing/samples.ts';
import { openConnection } from './connection.ts';
import { openSqliteStore } from './sqlite-store.ts';
import { copyEmptyDatabase } from './testing/empty-database.ts';

const _PROJECT = join(import.meta.dir, '..', '..', '..');
const NOW_MS = 1_790_000_000_000;
const DAY_MS = 86_400_000;
const clock = { nowMs: () => NOW_MS, monotonicMs: () => performance.now() };
const silent = () => {};
const logger = { debug: silent, info: silent, warn: silent, error: silent };

let folder: string;
let path: string;
let damages: unknown[];
let stores: Store[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'switchyard-outcomes-'));
  path = join(folder, 'switchyard.db');
  await copyEmptyDatabase(path);
  damages = [];
  stores = [];
});

afterEach(async () => {
  await Promise.all(stores.map((store) => store.close()));
  rmSync(folder, { recursive: true, force: true });
});

async function open(): Promise<Store> {
  const store = await openSqliteStore({
    path,
    secret: 's',
    clock,
    logger,
    onFatal: (error) => damages.push(error),
  });
  stores.push(store);
  return store;
}

function withFile<Result>(use: (database: Database) => Result): Result {
  const database = openConnection(path, 'NORMAL');
  try {
    return use(database);
  } finally {
    database.close();
  }
}

function newRates({ outcomes, snapshots }: Store): SuccessRates {
  return new SuccessRates({ sources: [outcomes], snapshots, clock, logger });
}

/** Writes `rows` successes of a model. `atMs` is an SQL expression for the time of row `i`, counted from 0. */
function fill(rows: number, modelId: string, atMs: string): void {
  withFile((database) =>
    database.run(
      `WITH RECURSIVE numbers (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM numbers WHERE i + 1 < ${rows})
       INSERT INTO request_log (at_ms, model_id, channel_id, status, client_gone)
       SELECT ${atMs}, '${modelId}', 'main', 200, 0 FROM numbers`,
    ),
  );
}

test('a log of many slices is counted completely, in whatever order its lines were written', async () => {
  const { outcomes } = await open();
  fill(5_000, 'yesterday', `${NOW_MS - 2 * DAY_MS} + i`);
  fill(25_003, 'forwards', `${NOW_MS - DAY_MS} + i`);
  fill(5_000, 'yesterday', `${NOW_MS - DAY_MS - 1} - i`);
  fill(25_001, 'backwards', `${NOW_MS - 1} - i`);
  fill(5_000, 'tomorrow', `${NOW_MS} + i`);
  const counts = [...(await outcomes.count(NOW_MS - DAY_MS, NOW_MS))].sort((a, b) => a.succeeded - b.succeeded);
  expect(counts).toEqual([
    { modelId: 'backwards', succeeded: 25_001, failed: 0 },
    { modelId: 'forwards', succeeded: 25_003, failed: 0 },
  ]);
});

test('lines can be written during a count', async () => {
  const { outcomes, requestLog } = await open();
  fill(200_000, 'a', `${NOW_MS - DAY_MS} + i`);
  let isCounting = true;
  const counting = outcomes.count(NOW_MS - DAY_MS, NOW_MS).finally(() => {
    isCounting = false;
  });
  let written = 0;
  while (isCounting) {
    requestLog.append(sampleRecord({ requestId: 'meanwhile', atMs: NOW_MS }));
    await requestLog.flush();
    written += 1;
    await Bun.sleep(0);
  }
  expect(await counting).toEqual([{ modelId: 'a', succeeded: 200_000, failed: 0 }]);
  const lines = await requestLog.recent(written + 1);
  expect(lines.filter(({ requestId }) => requestId === 'meanwhile')).toHaveLength(written);
});

test('closing a store ends its count', async () => {
  const store = await open();
  fill(500_000, 'a', `${NOW_MS - DAY_MS} + i`);
  const counting = store.outcomes.count(NOW_MS - DAY_MS, NOW_MS).then(
    () => 'counted',
    (error: Error) => error.message,
  );
  await store.requestLog.flush();
  await store.close();
  expect(await counting).toBeOneOf(['The count of the request log did not finish.', 'The store is closed.']);
  await expect(store.outcomes.count(0, NOW_MS)).rejects.toThrow('The store is closed.');
});

test('a damaged file is reported to the owner', async () => {
  const store = await open();
  fill(50_000, 'a', `${NOW_MS - DAY_MS} + i`);
  await store.close();
  const root = withFile((database) => {
    database.run('PRAGMA wal_checkpoint(TRUNCATE)');
    return database
      .query<{ rootpage: number }, []>("SELECT rootpage FROM sqlite_master WHERE name = 'request_log'")
      .get();
  });
  const page = root?.rootpage ?? 0;
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0xff, (page - 1) * 4096, page * 4096));
  const { outcomes } = await open();
  await expect(outcomes.count(NOW_MS - DAY_MS, NOW_MS)).rejects.toThrow('malformed');
  expect(damages).toHaveLength(1);
});

test('a day of traffic gives the expected ranking, also after a restart', async () => {
  /** The number of requests and of failures per model. */
  const traffic = { perfect: [40, 0], 'b-half': [60, 30], 'a-half': [20, 10], poor: [100, 99], rare: [19, 0] } as const;
  const mistakes = ['invalid_request', 'rate_limit_exceeded', 'client_closed_request'];
  const expected = [
    ['perfect', 1, 40, 'ready'],
    ['a-half', 0.5, 20, 'ready'],
    ['b-half', 0.5, 60, 'ready'],
    ['poor', 0.01, 100, 'ready'],
    ['rare', 1, 19, 'insufficient_samples'],
    ['unused', 0, 0, 'insufficient_samples'],
  ];
  const ranking = (snapshot: SuccessSnapshot | null) =>
    rankByPreference([...Object.keys(traffic), 'unused'], snapshot, 20).map((preference) => {
      const { modelId, successRate, sampleCount, status } = preference;
      return [modelId, successRate, sampleCount, status];
    });
  const store = await open();
  for (const [modelId, [requests, failing]] of Object.entries(traffic)) {
    for (let index = 0; index < requests; index++) {
      const line = { modelId, atMs: NOW_MS - DAY_MS + ((index * 7_919_000) % DAY_MS) };
      const failure = index < failing ? { status: 502, errorCode: 'upstream_error' } : {};
      store.requestLog.append(sampleRecord({ ...line, ...failure }));
      const errorCode = mistakes[index % mistakes.length] ?? null;
      store.requestLog.append(sampleRecord({ ...line, status: 400, errorCode, channelId: null }));
      store.requestLog.append(sampleRecord({ modelId, atMs: NOW_MS - DAY_MS - 1 - index }));
    }
  }
  await store.requestLog.flush();
  const counted = newRates(store);
  await counted.refresh();
  expect(ranking(counted.current())).toEqual(expected);
  await store.close();
  const restarted = newRates(await open());
  await restarted.restore();
  expect(ranking(restarted.current())).toEqual(expected);
});

test('a restart finds the snapshot, and grants no claim while it is fresh', async () => {
  const snapshot = { atMs: NOW_MS, windowMs: DAY_MS, counts: [{ modelId: 'a', succeeded: 3, failed: 1 }] };
  const first = await open();
  await first.snapshots.claim(NOW_MS, 10);
  await first.snapshots.write(snapshot);
  await first.close();
  const { snapshots } = await open();
  expect(await snapshots.read()).toEqual(snapshot);
  expect(await snapshots.claim(NOW_MS + 1, 10)).toBe(false);
});
