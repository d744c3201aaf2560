import { expect, test } from 'bun:test';
import { FEEDBACK_TYPES } from '../../../domain/cache/cache.ts';
import type { CacheReportStore } from '../../../engine/ports/cache-reports.ts';
import { sampleCacheReport } from '../../../engine/ports/testing/samples.ts';

const ALL = { limit: 100, before: null, accountId: null, entryId: null };
const MOST = 1_000;

/** Tests for every `CacheReportStore`. */
export function cacheReportTests(reports: () => CacheReportStore): void {
  const listed = async (page: Partial<typeof ALL> | { readonly [name: string]: string | number | null } = {}) =>
    (await reports().list({ ...ALL, ...page })).map(({ id }) => id);

  test('every field is returned as added', async () => {
    const each = FEEDBACK_TYPES.map((type, at) => sampleCacheReport({ type, keyId: `${at}`, entryId: `ce_${at}` }));
    const others = [
      sampleCacheReport({ entryId: 'silent', description: '', invalidatedAtMs: 1_790_000_000_001 }),
      sampleCacheReport({ entryId: 'loud', description: `'; -- "\\\0\ud800🚦`.toWellFormed().repeat(300) }),
    ];
    for (const report of [...each, ...others]) await reports().add(report, MOST);
    expect((await reports().list(ALL)).toReversed()).toEqual([...each, ...others]);
  });

  test('a key counts once per entry, however often it reports', async () => {
    expect(await reports().add(sampleCacheReport(), MOST)).toEqual({ isNew: true, keys: 1, accounts: 1 });
    const again = sampleCacheReport({ id: 'cr_again', type: 'unsafe' });
    expect(await reports().add(again, MOST)).toEqual({ isNew: false, keys: 1, accounts: 1 });
    expect(await reports().list(ALL)).toEqual([sampleCacheReport()]);
    expect(await reports().add(sampleCacheReport({ entryId: 'ce_2' }), MOST)).toEqual({
      isNew: true,
      keys: 1,
      accounts: 1,
    });
    expect(await reports().add(sampleCacheReport({ keyId: 'other' }), MOST)).toEqual({
      ...{ isNew: true, keys: 2, accounts: 1 },
    });
  });

  test('keys with the same name in two accounts are different', async () => {
    await reports().add(sampleCacheReport(), MOST);
    expect(await reports().add(sampleCacheReport({ accountId: 'b' }), MOST)).toEqual({
      ...{ isNew: true, keys: 2, accounts: 2 },
    });
  });

  test('of concurrent reports each key counts once, and every count is exact', async () => {
    const keys = Array.from({ length: 6 }, (_, at) => `key-${at}`);
    const twice = [...keys, ...keys].map((keyId, at) => sampleCacheReport({ id: `cr_${at}`, keyId }));
    const told = await Promise.all(twice.map((report) => reports().add(report, MOST)));
    const counts = told.filter(({ isNew }) => isNew).map((one) => one.keys);
    expect(counts.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await listed()).toHaveLength(6);
  });

  test('only the oldest reports of the same account are evicted', async () => {
    await reports().add(sampleCacheReport({ entryId: 'theirs', accountId: 'b' }), 2);
    for (const entryId of ['1', '2', '3']) await reports().add(sampleCacheReport({ entryId }), 2);
    expect(await listed()).toEqual(['cr_3_acme_ci', 'cr_2_acme_ci', 'cr_theirs_b_ci']);
    expect(await reports().add(sampleCacheReport({ entryId: '4' }), 0)).toEqual({
      ...{ isNew: true, keys: 1, accounts: 1 },
    });
    expect(await listed({ accountId: 'acme' })).toEqual(['cr_4_acme_ci']);
  });

  test('an invalidation is recorded once in all reports of the entry', async () => {
    await reports().add(sampleCacheReport({ keyId: 'a' }), MOST);
    await reports().add(sampleCacheReport({ keyId: 'b' }), MOST);
    await reports().add(sampleCacheReport({ entryId: 'ce_2' }), MOST);
    await reports().invalidated('ce_1', 1_790_000_000_005);
    await reports().invalidated('ce_1', 1_790_000_000_009);
    const noted = (await reports().list(ALL)).map(({ entryId, invalidatedAtMs }) => [entryId, invalidatedAtMs]);
    expect(noted).toEqual([
      ['ce_2', null],
      ['ce_1', 1_790_000_000_005],
      ['ce_1', 1_790_000_000_005],
    ]);
  });

  test('are listed newest first, in pages, by account or entry', async () => {
    for (const entryId of ['1', '2', '3']) await reports().add(sampleCacheReport({ entryId }), MOST);
    await reports().add(sampleCacheReport({ entryId: '2', accountId: 'b' }), MOST);
    expect(await listed({ limit: 2 })).toEqual(['cr_2_b_ci', 'cr_3_acme_ci']);
    expect(await listed({ limit: 2, before: 'cr_3_acme_ci' })).toEqual(['cr_2_acme_ci', 'cr_1_acme_ci']);
    expect(await listed({ accountId: 'b' })).toEqual(['cr_2_b_ci']);
    expect(await listed({ entryId: '2' })).toEqual(['cr_2_b_ci', 'cr_2_acme_ci']);
    expect(await listed({ entryId: '2', accountId: 'acme', before: 'cr_2_b_ci' })).toEqual(['cr_2_acme_ci']);
    expect(await listed({ before: 'cr_gone' })).toEqual([]);
    expect(await listed({ limit: 0 })).toEqual([]);
  });

  test('are removed oldest first before a time, up to the limit', async () => {
    for (const atMs of [30, 10, 20]) await reports().add(sampleCacheReport({ entryId: `${atMs}`, atMs }), MOST);
    expect(await reports().removeOld(30, 1)).toBe(1);
    expect(await listed()).toEqual(['cr_20_acme_ci', 'cr_30_acme_ci']);
    expect(await reports().removeOld(30, 10)).toBe(1);
    expect(await reports().removeOld(30, 10)).toBe(0);
    expect(await listed()).toEqual(['cr_30_acme_ci']);
  });
}
