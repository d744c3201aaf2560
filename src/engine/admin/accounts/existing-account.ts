import type { Account } from '../../../domain/access/account.ts';
import type { DirectoryStore } from '../../ports/directory-store.ts';
import { AdminError } from '../admin-error.ts';
import { notFound } from '../not-found.ts';

type Directory = Pick<DirectoryStore, 'read' | 'accounts'>;

/** How many ids a misspelt one is compared with. */
const COMPARED = 1_000;

/** The account with this id. Throws an `AdminError` that names the nearest id where there is none. */
export async function existingAccount(store: Directory, id: string): Promise<Account> {
  const { accounts } = await store.read({ accounts: [id], serving: false });
  const [found] = accounts;
  if (found === undefined) throw await accountNotFound(store, id);
  return found;
}

/** Looks for the id that was meant among all of a few accounts, or of very many among those that begin alike. */
export async function accountNotFound(store: Pick<Directory, 'accounts'>, id: string): Promise<AdminError> {
  const first = await store.accounts({ after: null, limit: COMPARED });
  const near = first.length < COMPARED ? first : await store.accounts({ after: id.slice(0, 2), limit: COMPARED });
  return notFound('account', id, near);
}

/** Throws `AdminError` for an account that is out of use. */
export function refuseArchived({ id, archivedAtMs }: Account): void {
  if (archivedAtMs === null) return;
  throw new AdminError('conflict', 'account', `"${id}" is archived: restore it first, or name another account`);
}
