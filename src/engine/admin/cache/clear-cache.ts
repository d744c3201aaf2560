import type { CacheStore } from '../../ports/cache-store.ts';
import type { DirectoryStore } from '../../ports/directory-store.ts';
import { existingAccount } from '../accounts/existing-account.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';

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
