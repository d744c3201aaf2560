import type { Account, BillingMode, Role } from '../../../domain/access/account.ts';
import type { AccountFilter, DirectoryStore } from '../../ports/directory-store.ts';
import type { Balance, Ledger } from '../../ports/ledger.ts';
import type { Store } from '../../ports/store.ts';
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

export interface AccountPageRequest extends PageRequest {
  readonly q?: string | undefined;
  readonly role?: Role | undefined;
  readonly billing?: BillingMode | undefined;
  readonly state?: 'active' | 'archived' | undefined;
}

/** Returns accounts with their balances, by id, including archived ones. Throws `AdminError` for an invalid page. */
export async function listAccounts(
  { directory, ledger }: Stores,
  request: AccountPageRequest,
): Promise<Page<ListedAccount>> {
  const limit = limitOf(request);
  const [after = null] = placeAfter(request, 1) ?? [];
  const rows = await directory.accounts({ after, limit: limit + 1, ...filterOf(request) });
  const page = pageOf(rows, limit, ({ id }) => [id]);
  const found = await ledger.balances(page.items.map(({ id }) => id));
  const balances = new Map(found.map((balance) => [balance.accountId, balance]));
  const items = page.items.map((account) => ({
    account,
    balance: balances.get(account.id) ?? emptyBalance(account.id),
  }));
  return { ...page, items };
}

function filterOf({ q: text, role, billing, state }: AccountPageRequest): { readonly only?: AccountFilter } {
  const only = {
    ...(text === undefined ? {} : { text }),
    ...(role === undefined ? {} : { role }),
    ...(billing === undefined ? {} : { billing }),
    ...(state === undefined ? {} : { isArchived: state === 'archived' }),
  };
  return Object.keys(only).length === 0 ? {} : { only };
}

/** An account's figures in a list: its keys and members, and its spending in the last 30 days. */
export interface AccountFigures {
  /** Unrevoked keys, at most `MOST_COUNTED`. */
  readonly keys: number;
  readonly members: number;
  readonly spentNanoUsd: bigint;
}

export const MOST_COUNTED = 1_000;
const MINUTE_MS = 60_000;
const SPENT_IN_MS = 30 * 24 * 60 * MINUTE_MS;

/** Reads the figures of a page's accounts, with three reads regardless of their number. */
export async function accountFigures(
  { directory, people, usage }: Pick<Store, 'directory' | 'people' | 'usage'>,
  accountIds: readonly string[],
  nowMs: number,
): Promise<(accountId: string) => AccountFigures> {
  const toMs = Math.floor(nowMs / MINUTE_MS + 1) * MINUTE_MS;
  const spans = [{ fromMs: toMs - SPENT_IN_MS, toMs }];
  const [keys, members, sums] = await Promise.all([
    directory.countKeys(accountIds, MOST_COUNTED),
    people.countMembers(accountIds),
    usage.sum({ accountIds, spans, groupBy: ['accountId'], tags: null, limit: accountIds.length }),
  ]);
  const spent = new Map(sums.map(({ accountId, costNanoUsd }) => [accountId, costNanoUsd]));
  return (id) => ({ keys: keys.get(id) ?? 0, members: members.get(id) ?? 0, spentNanoUsd: spent.get(id) ?? 0n });
}

/** Returns one account with its balance. Throws an `AdminError` that names the nearest id if it does not exist. */
export async function showAccount({ directory, ledger }: Stores, id: string): Promise<ListedAccount> {
  const account = await existingAccount(directory, id);
  return { account, balance: await ledger.balance(account.id) };
}

function emptyBalance(accountId: string): Balance {
  return { accountId, balanceNanoUsd: 0n, leasedNanoUsd: 0n };
}
