import type { Account } from '../../domain/access/account.ts';
import type { DirectoryStore } from '../ports/directory-store.ts';

/** All accounts, by id. */
export async function listAccounts(store: DirectoryStore): Promise<readonly Account[]> {
  const { accounts } = await store.read();
  return [...accounts].sort((a, b) => (a.id < b.id ? -1 : 1));
}
