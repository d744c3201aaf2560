import type { CacheEntry } from '../../../domain/cache/cache.ts';
import type { CacheReportStore } from '../../ports/cache-reports.ts';
import type { CacheStore } from '../../ports/cache-store.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DirectoryStore } from '../../ports/directory-store.ts';
import type { CacheSettings } from '../../settings/settings.ts';
import { existingAccount } from '../accounts/read-accounts.ts';
import { AdminError } from '../admin-error.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import { existingEntry } from './read-cache.ts';

interface Stores {
  readonly cache: Pick<CacheStore, 'findById' | 'wasInvalidated' | 'invalidate'>;
  readonly cacheReports: Pick<CacheReportStore, 'invalidated'>;
  readonly trail: AuditTrail;
}

interface Means {
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly settings: Pick<CacheSettings, 'feedback'>;
}

/**
 * Invalidates an entry on all nodes, as enough reports would: nothing is stored for its request until `feedback.blockMs` have passed.
 * Throws `AdminError` for an entry that does not exist or belongs to another account, and if the store is unavailable.
 */
export async function invalidateCacheEntry(
  { cache, cacheReports, trail }: Stores,
  { clock, settings }: Means,
  id: string,
  accountId: string | null,
): Promise<CacheEntry> {
  const entry = await existingEntry({ cache }, id, accountId);
  const nowMs = clock.nowMs();
  await cache.invalidate(entry, nowMs + settings.feedback.blockMs);
  if (!(await cache.wasInvalidated(entry.id))) {
    throw new AdminError(
      'conflict',
      'entry',
      `"${entry.id}" may still be served: its store cannot be written to at the moment`,
    );
  }
  await cacheReports.invalidated(entry.id, nowMs);
  const before = { model: entry.modelId };
  await trail.note({ action: 'cache.invalidate', accountId: entry.accountId, objectId: entry.id, before });
  return entry;
}

/**
 * Removes all entries, or those of one account, and resolves to their number. Nothing is blocked: later answers are stored again. Throws
 * `AdminError` for an unknown account.
 */
export async function clearCache(
  stores: {
    readonly cache: Pick<CacheStore, 'clear'>;
    readonly directory: Pick<DirectoryStore, 'read' | 'accounts'>;
    readonly trail: AuditTrail;
  },
  account: string | null,
): Promise<number> {
  if (account !== null) await existingAccount(stores.directory, account);
  const removed = await stores.cache.clear(account);
  await stores.trail.note({
    action: 'cache.clear',
    accountId: account,
    objectId: account ?? 'all',
    after: { removed },
  });
  return removed;
}
