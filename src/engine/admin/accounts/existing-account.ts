import type { Account } from '../../../domain/access/account.ts';
import type { DirectoryStore } from '../../ports/directory-store.ts';
import { notFound } from '../not-found.ts';

/** The account with this id. Throws an `AdminError` that names the nearest id where there is none. */
export async function existingAccount(store: Pick<DirectoryStore, 'read'>, id: string): Promise<Account> {
  const { accounts } = await store.read({ accounts: [id], serving: false });
  const [found] = accounts;
  if (found === undefined) throw notFound('account', id, (await store.read('all')).accounts);
  return found;
}
