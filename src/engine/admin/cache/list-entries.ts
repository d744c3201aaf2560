import type { CacheEntry } from '../../../domain/cache/cache-entry.ts';
import type { CacheReportStore } from '../../ports/cache-reports.ts';
import type { CacheEntrySummary, CacheStore } from '../../ports/cache-store.ts';
import { LARGEST_PAGE, limitOf } from '../page.ts';
import { existingEntry } from './existing-entry.ts';

export interface WantedEntries {
  /** Only what this account's requests have made. */
  readonly account?: string | undefined;
  /** From 1 to 1000; 50 by default. */
  readonly limit?: number | undefined;
}

/** The newest first. Throws `AdminError`. */
export async function listCacheEntries(
  { cache }: { readonly cache: Pick<CacheStore, 'list'> },
  { account, limit }: WantedEntries,
): Promise<readonly CacheEntrySummary[]> {
  return cache.list({ limit: limitOf({ limit }), before: null, accountId: account ?? null });
}

export interface ShownEntry {
  readonly entry: CacheEntry;
  /** How many keys have reported it, up to 1000. */
  readonly reports: number;
}

/** Throws `AdminError`. */
export async function showCacheEntry(
  stores: {
    readonly cache: Pick<CacheStore, 'findById' | 'wasInvalidated'>;
    readonly cacheReports: Pick<CacheReportStore, 'list'>;
  },
  id: string,
): Promise<ShownEntry> {
  const entry = await existingEntry(stores, id);
  const page = { limit: LARGEST_PAGE, before: null, accountId: null, entryId: entry.id };
  return { entry, reports: (await stores.cacheReports.list(page)).length };
}
