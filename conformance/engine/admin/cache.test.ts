import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { CacheEntry } from '../../../src/domain/cache/cache.ts';
import { createAccount } from '../../../src/engine/admin/accounts/change-accounts.ts';
import { clearCache, invalidateCacheEntry } from '../../../src/engine/admin/cache/change-cache.ts';
import {
  cacheEntryView,
  cacheReportView,
  cacheStatisticsView,
  listCacheEntries,
  listCacheReports,
  showCacheEntry,
  shownCacheEntryView,
} from '../../../src/engine/admin/cache/read-cache.ts';
import { failureOf } from '../../../src/engine/admin/testing/failure-of.ts';
import { FakeClock } from '../../../src/engine/admin/testing/fake-clock.ts';
import type { CacheStore } from '../../../src/engine/ports/cache-store.ts';
import {
  answerOf,
  cacheEntryId,
  digestOf,
  sampleCacheEntry,
  sampleQuestion,
} from '../../../src/engine/ports/testing/sample-cache-entry.ts';
import { sampleCacheReport } from '../../../src/engine/ports/testing/samples.ts';
import { DEFAULT_CACHE } from '../../../src/engine/settings/settings.ts';
import { MemoryCache } from '../../../src/stores/in-process/cache.ts';
import { closeTestStores } from '../../../src/stores/sqlite/testing/test-store.ts';
import { openTrailedStore, type TestStore } from '../../../src/stores/sqlite/testing/trailed-store.ts';

const SECRET = 'geheim';
const idOf = (number: number) => cacheEntryId(String(number));
const SETTINGS = { ...DEFAULT_CACHE, feedback: { ...DEFAULT_CACHE.feedback, blockMs: 60_000 } };

let store: TestStore;
let clock: FakeClock;
let cache: MemoryCache;

beforeEach(async () => {
  store = await openTrailedStore();
  clock = new FakeClock();
  cache = new MemoryCache({ settings: DEFAULT_CACHE, clock });
});
afterEach(closeTestStores);

const stores = () => ({ cache, cacheReports: store.cacheReports, directory: store.directory, trail: store.trail });
const entryOf = (number: number, fields: Partial<CacheEntry> = {}): CacheEntry =>
  sampleCacheEntry(String(number), {
    ...{ storedAtMs: clock.nowMs(), answer: answerOf(`"${SECRET}"`), question: sampleQuestion('p', SECRET) },
    ...fields,
  });
const put = (number: number, fields: Partial<CacheEntry> = {}) => cache.put(entryOf(number, fields));
const report = (number: number, entryId: string) =>
  store.cacheReports.add(sampleCacheReport({ id: `cr_${number}`, keyId: `key-${number}`, entryId }), 100);
const invalidate = (id: string, from: Pick<CacheStore, 'findById' | 'wasInvalidated' | 'invalidate'> = cache) =>
  invalidateCacheEntry({ ...stores(), cache: from }, { clock, settings: SETTINGS }, id, null);

describe('entries', () => {
  test('are listed newest first, for one account or all', async () => {
    put(1);
    clock.advance(1);
    put(2, { accountId: 'other' });
    clock.advance(1);
    put(3);
    const ids = async (wanted: Parameters<typeof listCacheEntries>[1]) =>
      (await listCacheEntries({ cache }, wanted)).items.map(({ id }) => id);
    expect(await ids({})).toEqual([3, 2, 1].map(idOf));
    expect(await ids({ account: 'acme' })).toEqual([3, 1].map(idOf));
    expect(await ids({ limit: 1 })).toEqual([idOf(3)]);
    expect(await ids({ account: 'nobody' })).toEqual([]);
  });

  test('are not listed with an invalid page size', async () => {
    for (const limit of [0, 1_001, 1.5, Number.NaN]) {
      expect((await failureOf(listCacheEntries({ cache }, { limit }))).field).toBe('limit');
      expect((await failureOf(listCacheReports(store, { limit }))).field).toBe('limit');
    }
  });

  test('are shown with the number of their reports, never with requests or responses', async () => {
    put(1);
    await report(1, idOf(1));
    await report(2, idOf(1));
    await report(3, idOf(2));
    const facts = {
      ...{ id: idOf(1), account: 'acme', shared: false, model: 'gpt-4o-mini', channel: 'openai-main' },
      ...{
        upstream_model: 'gpt-4o-mini-2024-07-18',
        stored_at: '2023-11-14T22:13:20Z',
        expires_at: '2023-11-14T23:13:20Z',
      },
      semantic: true,
    };
    const shown = shownCacheEntryView(await showCacheEntry(stores(), idOf(1), null));
    expect(shown).toEqual({
      ...{ ...facts, channel_name: 'OpenAI main', provider: 'openai', private: false },
      ...{ answer_bytes: 8, key: digestOf('1'), reports: 2 },
    });
    const [listed] = (await listCacheEntries({ cache }, {})).items.map(cacheEntryView);
    expect(listed).toEqual({ ...facts, bytes: expect.any(Number) });
    expect(JSON.stringify([shown, listed])).not.toContain(SECRET);
  });

  test('are reported as missing if they do not exist', async () => {
    for (const id of [idOf(9), '', 'ce_', '__proto__', 'x'.repeat(10_000)]) {
      for (const error of [await failureOf(showCacheEntry(stores(), id, null)), await failureOf(invalidate(id))]) {
        expect([error.code, error.message.slice(0, 26)]).toEqual(['not_found', 'entry: there is no entry "']);
        expect(error.message.length).toBeLessThan(250);
      }
    }
  });
});

describe('invalidating', () => {
  test('removes the entry once, marks its reports, and blocks its request for a while', async () => {
    put(1);
    await report(1, idOf(1));
    expect((await invalidate(idOf(1))).id).toBe(idOf(1));
    expect(cache.findById(idOf(1))).toBeNull();
    const [noted] = (await listCacheReports(store, { entry: idOf(1) })).items;
    expect(noted?.invalidatedAtMs).toBe(clock.nowMs());
    for (const again of [invalidate(idOf(1)), showCacheEntry(stores(), idOf(1), null)]) {
      expect((await failureOf(again)).message).toBe(`entry: "${idOf(1)}" was already invalidated`);
    }
    put(2, { key: digestOf('1') });
    expect(cache.find(digestOf('1'))).toBeNull();
    clock.advance(60_000);
    put(3, { key: digestOf('1') });
    expect(cache.find(digestOf('1'))?.id).toBe(idOf(3));
  });

  test('concurrently succeeds at least once, and the others learn that it is done', async () => {
    put(1);
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => invalidate(idOf(1))));
    expect(results.some(({ status }) => status === 'fulfilled')).toBe(true);
    expect(cache.find(digestOf('1'))).toBeNull();
  });

  test('is not reported as done if the store is unavailable', async () => {
    await report(1, idOf(1));
    const away = { findById: () => entryOf(1), wasInvalidated: () => false, invalidate: async () => {} };
    expect((await failureOf(invalidate(idOf(1), away))).message).toContain('may still be served');
    expect((await listCacheReports(store, {})).items.map(({ invalidatedAtMs }) => invalidatedAtMs)).toEqual([null]);
  });
});

test('is cleared as a whole, or for one existing account', async () => {
  for (const number of [1, 2]) put(number);
  put(3, { accountId: 'other' });
  expect((await failureOf(clearCache(stores(), 'acmee'))).code).toBe('not_found');
  await createAccount(store, clock, { id: 'acme' });
  expect((await failureOf(clearCache(stores(), 'acmee'))).message).toContain('did you mean "acme"');
  expect(await clearCache(stores(), 'acme')).toBe(2);
  expect(await clearCache(stores(), 'acme')).toBe(0);
  expect(await clearCache(stores(), null)).toBe(1);
  expect((await listCacheEntries({ cache }, {})).items).toEqual([]);
});

test('reports are listed newest first, for one account or entry, with formatted times', async () => {
  for (const number of [1, 2, 3]) await report(number, idOf(number % 2));
  const keys = async (wanted: Parameters<typeof listCacheReports>[1]) =>
    (await listCacheReports(store, wanted)).items.map(({ keyId }) => keyId);
  expect(await keys({})).toEqual(['key-3', 'key-2', 'key-1']);
  expect(await keys({ entry: idOf(1) })).toEqual(['key-3', 'key-1']);
  expect(await keys({ account: 'nobody' })).toEqual([]);
  expect(await keys({ limit: 1 })).toEqual(['key-3']);
  const [last] = (await listCacheReports(store, { limit: 1 })).items;
  const { accountId, description, type } = sampleCacheReport();
  expect(last && cacheReportView(last)).toMatchObject({
    ...{ id: 'cr_3', entry: idOf(1), account: accountId, key: 'key-3', type, description, invalidated_at: null },
    reported_at: expect.stringMatching(/Z$/),
  });
});

test('statistics have the limit of the store that holds the entries', () => {
  const of = (kind: 'disk' | 'redis') =>
    cacheStatisticsView({ kind, entries: 2, bytes: 3 }, { ...DEFAULT_CACHE, diskBytes: 10, redisBytes: 20 });
  expect(of('disk')).toEqual({ kind: 'disk', entries: 2, bytes: 3, most_bytes: 10 });
  expect(of('redis').most_bytes).toBe(20);
});
