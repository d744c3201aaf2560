import type { CacheEntry } from '../../../domain/cache/cache-entry.ts';
import type { CacheReportStore } from '../../ports/cache-reports.ts';
import type { CacheEntrySummary, CacheStore } from '../../ports/cache-store.ts';
import { LARGEST_PAGE, limitOf, type Page, type PageRequest, pageOf, placeAfter } from '../page.ts';
import { existingEntry } from './existing-entry.ts';

export interface WantedEntries extends PageRequest {
  /** Restricts the list to entries made by this account's requests. */
  readonly account?: string | undefined;
}

/** Returns entries, newest first. Throws `AdminError`. */
export async function listCacheEntries(
  { cache }: { readonly cache: Pick<CacheStore, 'list'> },
  { account, ...page }: WantedEntries,
): Promise<Page<CacheEntrySummary>> {
  const limit = limitOf(page);
  const [storedAt, id] = placeAfter(page, 2) ?? [];
  const before = id === undefined ? null : { storedAtMs: Number(storedAt), id };
  const found = await cache.list({ limit: limit + 1, before, accountId: account ?? null });
  return pageOf(found, limit, (entry) => [String(entry.storedAtMs), entry.id]);
}

export interface ShownEntry {
  readonly entry: CacheEntry;
  /** The number of keys that have reported it, at most 1000. */
  readonly reports: number;
}

/** Returns one entry of this account or, for `null`, of any. Throws `AdminError`. */
export async function showCacheEntry(
  stores: {
    readonly cache: Pick<CacheStore, 'findById' | 'wasInvalidated'>;
    readonly cacheReports: Pick<CacheReportStore, 'list'>;
  },
  id: string,
  accountId: string | null,
): Promise<ShownEntry> {
  const entry = await existingEntry(stores, id, accountId);
  const page = { limit: LARGEST_PAGE, before: null, accountId: null, entryId: entry.id };
  return { entry, reports: (await stores.cacheReports.list(page)).length };
}
