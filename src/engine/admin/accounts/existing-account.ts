import type { Account } from '../../../domain/access/account.ts';
import type { DirectoryStore } from '../../ports/directory-store.ts';
import { AdminError } from '../admin-error.ts';
import { notFound } from '../not-found.ts';

type Directory = Pick<DirectoryStore, 'read' | 'accounts'>;

/** The number of ids that a misspelt one is compared with. */
const COMPARED = 1_000;

/** Resolves to the account with this id. Throws an `AdminError` that names the nearest id if it does not exist. */
export async function existingAccount(store: Directory, id: string): Promise<Account> {
  const { accounts } = await store.read({ accounts: [id], serving: false });
  const [found] = accounts;
  if (found === undefined) throw await accountNotFound(store, id);
  return found;
}

/**
 * Returns the error for an unknown id, with the nearest one: among all accounts, or only those with the same beginning if there are too
 * many.
 */
export async function accountNotFound(store: Pick<Directory, 'accounts'>, id: string): Promise<AdminError> {
  const first = await store.accounts({ after: null, limit: COMPARED });
  const near = first.length < COMPARED ? first : await store.accounts({ after: id.slice(0, 2), limit: COMPARED });
  return notFound('account', id, near);
}

/** Throws `AdminError` for an archived account. */
export function refuseArchived({ id, archivedAtMs }: Account): void {
  if (archivedAtMs === null) return;
  throw new AdminError('conflict', 'account', `"${id}" is archived: restore it first, or name another account`);
}
