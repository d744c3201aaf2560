import type { CacheEntry } from '../../../domain/cache/cache.ts';
import type { CacheEntrySummary, CachePage } from '../../../engine/ports/cache-store.ts';

type Placed = Pick<CacheEntry, 'storedAtMs' | 'id'>;

/** Compares entries for listing; ids break ties within a millisecond. */
export function newestFirst(one: Placed, other: Placed): number {
  if (one.storedAtMs !== other.storedAtMs) return other.storedAtMs - one.storedAtMs;
  if (one.id === other.id) return 0;
  return one.id < other.id ? 1 : -1;
}

/** Whether an entry comes after the last one of the previous page. */
export function isBefore(entry: Placed, last: CachePage['before']): boolean {
  return last === null || newestFirst(last, entry) < 0;
}

/** Merges entries from several tiers, without duplicates, from newest to oldest. */
export function mergedPage(
  { limit, before, accountId }: CachePage,
  nowMs: number,
  ...known: readonly (readonly CacheEntrySummary[])[]
): CacheEntrySummary[] {
  const byId = new Map(known.flat().map((summary) => [summary.id, summary]));
  return [...byId.values()]
    .filter((summary) => summary.expiresAtMs > nowMs && isBefore(summary, before))
    .filter((summary) => accountId === null || summary.accountId === accountId)
    .sort(newestFirst)
    .slice(0, limit);
}
