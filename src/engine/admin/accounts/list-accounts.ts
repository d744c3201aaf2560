import type { Account } from '../../../domain/access/account.ts';
import type { DirectoryStore } from '../../ports/directory-store.ts';
import type { Balance, Ledger } from '../../ports/ledger.ts';
import { limitOf, type Page, type PageRequest, pageOf, placeAfter } from '../page.ts';
import { existingAccount } from './existing-account.ts';

export interface ListedAccount {
  readonly account: Account;
  readonly balance: Balance;
}

interface Stores {
  readonly directory: DirectoryStore;
  readonly ledger: Ledger;
}

/** Accounts with what they have, by id; archived ones too. Throws `AdminError` for a wrong page. */
export async function listAccounts({ directory, ledger }: Stores, request: PageRequest): Promise<Page<ListedAccount>> {
  const limit = limitOf(request);
  const [after = null] = placeAfter(request, 1) ?? [];
  const page = pageOf(await directory.accounts({ after, limit: limit + 1 }), limit, ({ id }) => [id]);
  const found = await ledger.balances(page.items.map(({ id }) => id));
  const balances = new Map(found.map((balance) => [balance.accountId, balance]));
  const items = page.items.map((account) => ({
    account,
    balance: balances.get(account.id) ?? emptyBalance(account.id),
  }));
  return { items, next: page.next };
}

/** One account with what it has. Throws an `AdminError` that names the nearest id where there is none. */
export async function showAccount({ directory, ledger }: Stores, id: string): Promise<ListedAccount> {
  const account = await existingAccount(directory, id);
  return { account, balance: await ledger.balance(account.id) };
}

function emptyBalance(accountId: string): Balance {
  return { accountId, balanceNanoUsd: 0n, leasedNanoUsd: 0n };
}
