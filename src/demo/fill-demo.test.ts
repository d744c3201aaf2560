import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVING_ONLY } from '../engine/ports/directory-store.ts';
import type { Store } from '../engine/ports/store.ts';
import { openSqliteStore } from '../stores/sqlite/sqlite-store.ts';
import { copyEmptyDatabase } from '../stores/sqlite/testing/empty-database.ts';
import { providerOf } from './channels.ts';
import { DemoTime } from './demo-time.ts';
import { DEMO_STORE, type DemoSize, type Filled, filled, nowMs, proven } from './testing/filled-demo.ts';
import { demoTraffic } from './traffic.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchyard-demo-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function filledSqlite(name: string, size?: DemoSize): Promise<Filled> {
  const path = join(folder, name, 'switchyard.sqlite');
  await copyEmptyDatabase(path);
  return filled(await openSqliteStore({ ...DEMO_STORE, path }), join(folder, name), size);
}

test('a demo that ends soon after the beginning of a month has a ledger that verifies', async () => {
  // A key has requests in the new month, and tasks that were submitted before it are charged after them.
  const nowMs = Date.parse('2026-12-01T00:24:00Z');
  const { store } = await filledSqlite('month', { nowMs, days: 2, requests: 200 });
  const { problems } = await store.ledger.verify();
  await store.close();
  expect(problems).toEqual([]);
}, 600_000);

describe('a demo in SQLite', () => {
  let one: Filled;
  beforeAll(async () => {
    one = await filledSqlite('one');
  }, 600_000);
  afterAll(() => one?.store.close());

  test('has books that are right, and sums of usage that equal them', () => proven(one));

  test('is the same with the same seed, except for secrets', async () => {
    const again = await filledSqlite('again');
    expect(again.lines).toEqual(one.lines);
    expect(again.demo.operator.password).not.toBe(one.demo.operator.password);
    const secretsOf = async (of: Store) =>
      (await of.directory.credentials({ after: null, limit: 100 })).map(({ secretHash }) => secretHash);
    const known = new Set(await secretsOf(one.store));
    expect((await secretsOf(again.store)).filter((hash) => known.has(hash))).toEqual([]);
    await again.store.close();
  }, 600_000);

  test('differs with another seed', () => {
    const time = new DemoTime(nowMs, 1);
    const [first, other] = ['1', '2'].map((seed) =>
      [...demoTraffic({ time, seed, requests: 10, prices: () => null, providerOf })].map(
        ({ record }) => record.requestId,
      ),
    );
    expect(first?.length).toBeGreaterThan(0);
    expect(other?.filter((id) => first?.includes(id))).toEqual([]);
  });

  test('sends no request and no key', async () => {
    const { channels } = await one.store.directory.read(SERVING_ONLY);
    const elsewhere = channels.filter(
      ({ baseUrl, provider }) => provider !== 'sandbox' && !baseUrl?.startsWith('http://127.0.0.1:9/'),
    );
    expect(elsewhere).toEqual([]);
    expect(channels.filter(({ apiKey }) => apiKey !== null && !apiKey.startsWith('demo-no-real-key-'))).toEqual([]);
    const targets = await one.store.alerts.targets({ after: null, limit: 100 });
    expect(targets.filter(({ address }) => !address.startsWith('https://hooks.invalid/'))).toEqual([]);
    // The sandbox also serves public models, after all other channels.
    const sandbox = channels.find(({ provider }) => provider === 'sandbox');
    const shared = channels.filter(
      ({ owner, enabled, provider }) => owner === null && enabled && provider !== 'sandbox',
    );
    const alone = shared.flatMap(({ models }) => Object.keys(models)).filter((id) => sandbox?.models[id] === undefined);
    expect(alone).toEqual([]);
    expect(shared.every(({ priority }) => priority < (sandbox?.priority ?? 0))).toBe(true);
  });

  test('has data in every view', async () => {
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
    const captured = await Promise.all(lines.map(({ requestId }) => store.captures.find(requestId, 'halyard')));
    expect(captured.filter((one) => one !== null).length).toBeGreaterThan(10);
    expect(lines.every(({ errorCode, told }) => (errorCode === null) === (told === undefined))).toBe(true);
  });
});
