import type { CacheEntry } from '../../../domain/cache/cache-entry.ts';
import type { CacheStore } from '../../ports/cache-store.ts';
import { AdminError } from '../admin-error.ts';

/** Resolves to the entry with this id, of this account or, for `null`, of any. Throws `AdminError`. */
export async function existingEntry(
  { cache }: { readonly cache: Pick<CacheStore, 'findById' | 'wasInvalidated'> },
  id: string,
  accountId: string | null,
): Promise<CacheEntry> {
  const entry = await cache.findById(id);
  if (entry !== null && (accountId === null || entry.accountId === accountId)) return entry;
  const named = `"${id.slice(0, 100)}"`;
  if (accountId === null && (await cache.wasInvalidated(id)))
    throw new AdminError('conflict', 'entry', `${named} was already invalidated`);
  throw new AdminError('not_found', 'entry', `there is no entry ${named}: it has expired or was evicted`);
}
