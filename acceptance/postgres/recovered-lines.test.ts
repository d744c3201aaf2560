import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { until } from '../../conformance/shared/until.ts';
import type { Store } from '../../src/engine/ports/store.ts';
import { sampleCharge, sampleRecord } from '../../src/engine/ports/testing/samples.ts';
import { openPostgresStore } from '../../src/stores/postgres/postgres-store.ts';
import { type SharedTestPostgres, sharedTestPostgres } from '../../src/stores/shared/testing/postgres.ts';
import { recoveredLinesTests, requestIdAt } from '../../src/stores/shared/testing/recovered-lines-contract.ts';

const clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };
const silent = () => {};
const logger = { debug: silent, info: silent, warn: silent, error: silent };
const PURSE = { accountId: 'nobody', keyId: null };

let server: SharedTestPostgres;
let url: string;
let opened: Store[] = [];

beforeAll(async () => {
  server = await sharedTestPostgres();
  url = await server.createMigratedDatabase();
}, 600_000);
afterEach(async () => {
  await Promise.all(opened.map((store) => store.close()));
  opened = [];
  await server.emptyDatabase(url);
});
afterAll(() => server.dropDatabase(url));

async function open(): Promise<Store> {
  const store = await openPostgresStore({ url, secret: 'a long secret', clock, logger, recoverLinesAfterMs: 0 });
  opened.push(store);
  return store;
}

/** Opens a gateway. It looks for lost lines when it begins to lease. */
async function openGateway(): Promise<Store> {
  const store = await open();
  await store.ledger.lease(PURSE, 1n, 1n);
  return store;
}

recoveredLinesTests(open, openGateway);

test('the line of a paused node replaces the recovered one, and is counted once', async () => {
  const atMs = Math.floor(Date.now() / 60_000) * 60_000 - 300_000;
  const requestId = requestIdAt(atMs);
  const paused = await open();
  await paused.ledger.charge(sampleCharge({ requestId, atMs: atMs + 40 }));
  const other = await openGateway();
  await until('the line is recovered', async () => (await other.requestLog.find(requestId))?.recovered === true);
  const line = sampleRecord({ requestId, atMs: atMs + 3, latencyMs: 40, costNanoUsd: 1_250n });
  paused.requestLog.append(line);
  await paused.requestLog.flush();
  expect(await other.requestLog.recent(10)).toEqual([line]);
  const spans = [{ fromMs: atMs, toMs: atMs + 60_000 }];
  const sums = () => other.usage.sum({ accountIds: ['acme'], spans, groupBy: [], tags: null, limit: 10 });
  const expected = { requests: 1, latencyMsSum: 40, costNanoUsd: 1_250n };
  expect(await sums()).toMatchObject([expected]);
  await other.usage.roll(100);
  expect(await sums()).toMatchObject([expected]);
});
