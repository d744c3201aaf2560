import type { CacheStore } from '../../ports/cache-store.ts';
import type { DirectoryStore } from '../../ports/directory-store.ts';
import { existingAccount } from '../accounts/existing-account.ts';

/**
 * Removes all entries, or what the requests of one account have made; gives how many. Nothing is blocked: the next answers are kept
 * again. Throws `AdminError` for an account that is not there.
 */
export async function clearCache(
  stores: { readonly cache: Pick<CacheStore, 'clear'>; readonly directory: Pick<DirectoryStore, 'read' | 'accounts'> },
  account: string | null,
): Promise<number> {
  if (account !== null) await existingAccount(stores.directory, account);
  return stores.cache.clear(account);
}
