import type { CacheEntry } from '../../../domain/cache/cache-entry.ts';
import type { CacheStore } from '../../ports/cache-store.ts';
import { AdminError } from '../admin-error.ts';

/** The entry with this id, of whatever account. Throws `AdminError`. */
export async function existingEntry(
  { cache }: { readonly cache: Pick<CacheStore, 'findById' | 'wasInvalidated'> },
  id: string,
): Promise<CacheEntry> {
  const entry = await cache.findById(id);
  if (entry !== null) return entry;
  const named = `"${id.slice(0, 100)}"`;
  if (await cache.wasInvalidated(id)) throw new AdminError('conflict', 'entry', `${named} was invalidated already`);
  throw new AdminError('not_found', 'entry', `there is no entry ${named}: it has expired, or made room for others`);
}
