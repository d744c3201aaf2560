import type { Account } from '../../domain/access/account.ts';
import { notFound } from './not-found.ts';

/** The account with this id. Throws an `AdminError` that names the nearest id where there is none. */
export function existingAccount(accounts: readonly Account[], id: string): Account {
  const found = accounts.find((account) => account.id === id);
  if (found === undefined) throw notFound('account', id, accounts);
  return found;
}
