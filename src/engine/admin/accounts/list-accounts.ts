import type { Account } from '../../../domain/access/account.ts';
import type { DirectoryStore } from '../../ports/directory-store.ts';
import type { Balance, Ledger } from '../../ports/ledger.ts';
import { existingAccount } from './existing-account.ts';

export interface ListedAccount {
  readonly account: Account;
  readonly balance: Balance;
}

interface Stores {
  readonly directory: DirectoryStore;
  readonly ledger: Ledger;
}

/** All accounts with what they have, by id. */
export async function listAccounts({ directory, ledger }: Stores): Promise<readonly ListedAccount[]> {
  const [{ accounts }, found] = await Promise.all([directory.read('all'), ledger.balances()]);
  const balances = new Map(found.map((balance) => [balance.accountId, balance]));
  return accounts
    .map((account) => ({ account, balance: balances.get(account.id) ?? emptyBalance(account.id) }))
    .sort((a, b) => (a.account.id < b.account.id ? -1 : 1));
}

/** One account with what it has. Throws an `AdminError` that names the nearest id where there is none. */
export async function showAccount({ directory, ledger }: Stores, id: string): Promise<ListedAccount> {
  const account = await existingAccount(directory, id);
  return { account, balance: await ledger.balance(account.id) };
}

function emptyBalance(accountId: string): Balance {
  return { accountId, balanceNanoUsd: 0n, leasedNanoUsd: 0n };
}
