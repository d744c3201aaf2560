import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testNeeding } from '../../../tools/test/needs.ts';
import { priceParts } from '../../domain/money/applied-prices.ts';
import { SERVING_ONLY } from '../../engine/ports/directory-store.ts';
import type { RequestRecord } from '../../engine/ports/request-log.ts';
import type { Store } from '../../engine/ports/store.ts';
import { DEFAULT_CACHE } from '../../engine/settings/cache-settings.ts';
import { providers } from '../../providers/index.ts';
import { MemoryCache } from '../../stores/memory/cache.ts';
import { openPostgresStore } from '../../stores/postgres/postgres-store.ts';
import {
  hasTestPostgres,
  POSTGRES_REQUIREMENT,
  type SharedTestPostgres,
  sharedTestPostgres,
} from '../../stores/shared/testing/postgres.ts';
import { openSqliteStore } from '../../stores/sqlite/sqlite-store.ts';
import { openMediaStore } from '../open-media-store.ts';
import { systemClock } from '../system.ts';
import { providerOf } from './channels.ts';
import { DemoTime } from './demo-time.ts';
import { type FilledDemo, fillDemo } from './fill-demo.ts';
import { demoTraffic } from './traffic.ts';

const SECRET = 'a secret for the tests of the demo';
const logger = { debug() {}, info() {}, warn() {}, error() {} };
const common = { secret: SECRET, clock: systemClock, logger };
const isPresent = hasTestPostgres();
const postgresTest = testNeeding(POSTGRES_REQUIREMENT, isPresent);
const nowMs = Date.now();
const MINUTE_MS = 60_000;

let folder: string;
let server: SharedTestPostgres;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchyard-demo-'));
  if (isPresent) server = await sharedTestPostgres();
}, 60_000);
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

interface Filled {
  readonly store: Store;
  readonly cache: MemoryCache;
  readonly demo: FilledDemo;
  readonly lines: readonly RequestRecord[];
}

async function filled(store: Store, name: string): Promise<Filled> {
  const dataDirectory = join(folder, name);
  const cache = new MemoryCache({ settings: DEFAULT_CACHE, clock: systemClock });
  const mediaStore = openMediaStore({
    clock: systemClock,
    configuration: null,
    dataDirectory,
    secret: SECRET,
    logger: logger as never,
  });
  const wanted = { days: 30, seed: '1', requests: 300, nowMs };
  const demo = await fillDemo({ store, cache, mediaStore, providers, logger, ...wanted });
  await mediaStore.close();
  return { store, cache, demo, lines: await store.requestLog.recent(10_000) };
}

const sqlite = (name: string) => openSqliteStore({ ...common, path: join(folder, name, 'switchyard.sqlite') });

async function proven({ store, lines, demo }: Filled): Promise<void> {
  expect((await store.ledger.verify()).problems).toEqual([]);
  const spans = [{ fromMs: 0, toMs: Math.ceil(Date.now() / MINUTE_MS) * MINUTE_MS }];
  const query = { spans, groupBy: [], tags: null, limit: 10 };
  const [sum] = await store.usage.sum({ ...query, accountIds: null });
  const charged = (await store.ledger.spending()).reduce((all, { spentNanoUsd }) => all + spentNanoUsd, 0n);
  const logged = lines.reduce((all, { costNanoUsd }) => all + (costNanoUsd ?? 0n), 0n);
  expect([sum?.costNanoUsd, sum?.requests]).toEqual([charged, lines.length]);
  expect(logged).toBe(charged);
  expect(charged).toBeGreaterThan(0n);
  expect(sum?.savedNanoUsd).toBeGreaterThan(0n);
  for (const { billable, applied, costNanoUsd } of lines) {
    if (applied === undefined || costNanoUsd === null) continue;
    const parts = priceParts(billable, applied, costNanoUsd);
    expect(parts.some(({ kind }) => kind === 'written_off')).toBe(false);
  }
  expect(lines.length).toBeGreaterThan(demo.requests);
  expect(Math.max(...lines.map(({ atMs, latencyMs }) => atMs + latencyMs))).toBeLessThanOrEqual(nowMs);
  const balances = new Map((await store.ledger.balances()).map((one) => [one.accountId, one.balanceNanoUsd]));
  const paperkite = balances.get('paperkite') ?? 0n;
  expect([paperkite > 0n, paperkite < 1_000_000_000n]).toEqual([true, true]);
}

describe('a demo in SQLite', () => {
  let one: Filled;
  beforeAll(async () => {
    one = await filled(await sqlite('one'), 'one');
  }, 60_000);
  afterAll(() => one?.store.close());

  test('has books that are right, and sums of usage that equal them', () => proven(one));

  test('is the same again with the same seed, but for what is secret', async () => {
    const store = await sqlite('again');
    const again = await filled(store, 'again');
    expect(again.lines).toEqual(one.lines);
    expect(again.demo.operator.password).not.toBe(one.demo.operator.password);
    const secretsOf = async (of: Store) =>
      (await of.directory.credentials({ after: null, limit: 100 })).map(({ secretHash }) => secretHash);
    const known = new Set(await secretsOf(one.store));
    expect((await secretsOf(store)).filter((hash) => known.has(hash))).toEqual([]);
    await store.close();
  }, 60_000);

  test('is another one with another seed', () => {
    const time = new DemoTime(nowMs, 1);
    const [first, other] = ['1', '2'].map((seed) =>
      [...demoTraffic({ time, seed, requests: 10, prices: () => null, providerOf })].map(
        ({ record }) => record.requestId,
      ),
    );
    expect(first?.length).toBeGreaterThan(0);
    expect(other?.filter((id) => first?.includes(id))).toEqual([]);
  });

  test('sends no request and no key to anybody', async () => {
    const { channels } = await one.store.directory.read(SERVING_ONLY);
    const elsewhere = channels.filter(
      ({ baseUrl, provider }) => provider !== 'sandbox' && !baseUrl?.startsWith('http://127.0.0.1:9/'),
    );
    expect(elsewhere).toEqual([]);
    expect(channels.filter(({ apiKey }) => apiKey !== null && !apiKey.startsWith('demo-no-real-key-'))).toEqual([]);
    const targets = await one.store.alerts.targets({ after: null, limit: 100 });
    expect(targets.filter(({ address }) => !address.startsWith('https://127.0.0.1:9/'))).toEqual([]);
    // What is public is served by the sandbox, too, after all others.
    const sandbox = channels.find(({ provider }) => provider === 'sandbox');
    const shared = channels.filter(
      ({ owner, enabled, provider }) => owner === null && enabled && provider !== 'sandbox',
    );
    const alone = shared.flatMap(({ models }) => Object.keys(models)).filter((id) => sandbox?.models[id] === undefined);
    expect(alone).toEqual([]);
    expect(shared.every(({ priority }) => priority < (sandbox?.priority ?? 0))).toBe(true);
  });

  test('shows something in every view', async () => {
    const { store, cache, lines } = one;
    const tasks = await store.tasks.list({}, 100);
    expect(new Set(tasks.map(({ stage }) => stage))).toEqual(new Set(['completed', 'failed', 'submitted']));
    expect(tasks.filter(({ stage, kept }) => stage === 'completed' && !('0/source' in kept))).toEqual([]);
    expect((await cache.list({ limit: 10, before: null, accountId: null })).length).toBe(10);
    const reports = await store.cacheReports.list({ limit: 10, before: null, accountId: null, entryId: null });
    expect(reports.some(({ invalidatedAtMs }) => invalidatedAtMs !== null)).toBe(true);
    const deliveries = await store.alerts.deliveries({ after: null, limit: 100 });
    expect(new Set(deliveries.map(({ state }) => state))).toEqual(new Set(['delivered', 'failed', 'pending']));
    expect((await store.alerts.figures()).raised).toBe(3);
    const audit = await store.audit.page({ order: 'newest', after: null, limit: 200 });
    expect(new Set(audit.map(({ actor }) => actor.kind))).toEqual(new Set(['person', 'gateway']));
    expect(audit.every(({ atMs }) => atMs <= nowMs)).toBe(true);
    const users = await store.people.users({ limit: 20, after: null });
    expect(users.filter(({ operator }) => operator).map(({ email }) => email)).toEqual([one.demo.operator.email]);
    expect(lines.some(({ cacheMatch }) => cacheMatch !== null)).toBe(true);
    expect(lines.some(({ errorCode }) => errorCode !== null)).toBe(true);
  });
});

postgresTest(
  'a demo in PostgreSQL has books that are right, and sums of usage that equal them',
  async () => {
    const store = await openPostgresStore({ ...common, url: await server.createDatabase() });
    await proven(await filled(store, 'postgres'));
    await store.close();
  },
  60_000,
);
