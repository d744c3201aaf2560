import type { Account, BillingMode, Role } from '../../../domain/access/account.ts';
import { formatNanoUsd } from '../../../domain/money/nano-usd.ts';
import type { AccountFilter, DirectoryStore } from '../../ports/directory-store.ts';
import type { Balance, Ledger } from '../../ports/ledger.ts';
import { ACCOUNT_ORDERS, type SortFigures } from '../../ports/list-store.ts';
import type { Store } from '../../ports/store.ts';
import type { UsageStore } from '../../ports/usage-store.ts';
import { AdminError, notFound } from '../admin-error.ts';
import {
  isDown,
  limitOf,
  type Page,
  type PageRequest,
  pageOf,
  placeAfter,
  type Sorting,
  sortedPageOf,
  sortPlaceAfter,
} from '../page.ts';
import { accountFields } from '../schema/account.ts';
import { raiseFields } from '../schema/fields.ts';
import { MOST_RANKED, recentDays } from '../usage/recent-spans.ts';
import { isoTime, managedBy, timeOrNull } from '../view-fields.ts';
import { SPENDING_DAYS } from './account-figures.ts';

export interface ListedAccount {
  readonly account: Account;
  readonly balance: Balance;
}

interface Stores {
  readonly directory: DirectoryStore;
  readonly ledger: Ledger;
}

interface AccountPageRequest extends PageRequest {
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
  const only = filterOf(request);
  const isFiltered = Object.keys(only).length > 0;
  const rows = await directory.accounts({ after, limit: limit + 1, ...(isFiltered && { only }) });
  const page = pageOf(rows, limit, ({ id }) => [id]);
  return { ...page, items: await withBalances(ledger, page.items) };
}

/** The orders of a sorted list of accounts. */
export const ACCOUNT_SORTS = [...ACCOUNT_ORDERS, 'spent_30d'] as const;

interface SortedAccountRequest extends AccountPageRequest, Sorting<(typeof ACCOUNT_SORTS)[number]> {}

/**
 * Returns accounts in the given order. With more than `MOST_RANKED` accounts that have spent money, `spent_30d` orders only those that spent
 * most, and the others by id. Throws `AdminError` for an invalid page.
 */
export async function sortedAccounts(
  { directory, ledger, lists, usage }: Stores & Pick<Store, 'lists' | 'usage'>,
  request: SortedAccountRequest,
  nowMs: number,
): Promise<Page<ListedAccount>> {
  const { sort } = request;
  const limit = limitOf(request);
  const after = sortPlaceAfter(request, { sort }, sort === 'name');
  const by = sort === 'spent_30d' ? { figures: await accountsBySpending(usage, nowMs) } : sort;
  const page = { by, only: filterOf(request), isDown: isDown(request), after, limit: limit + 1 };
  const places = await lists.accounts(page);
  const { accounts } = await directory.read({ accounts: places.map(({ id }) => id), serving: false });
  const listed = await withBalances(ledger, accounts);
  return sortedPageOf(places, limit, sort, new Map(listed.map((one) => [one.account.id, one])));
}

async function accountsBySpending(usage: Pick<UsageStore, 'sum'>, nowMs: number): Promise<SortFigures['figures']> {
  const sums = await usage.sum({
    accountIds: 'every',
    spans: [recentDays(SPENDING_DAYS, nowMs)],
    groupBy: ['accountId'],
    tags: null,
    limit: MOST_RANKED,
    dearestFirst: true,
  });
  return sums.flatMap(({ accountId: id = '', costNanoUsd: amount }) => (amount <= 0n ? [] : [{ id, amount }]));
}

async function withBalances(ledger: Ledger, accounts: readonly Account[]): Promise<readonly ListedAccount[]> {
  const found = await ledger.balances(accounts.map(({ id }) => id));
  const balances = new Map(found.map((balance) => [balance.accountId, balance]));
  return accounts.map((account) => ({ account, balance: balances.get(account.id) ?? emptyBalance(account.id) }));
}

function filterOf({ q: text, role, billing, state }: AccountPageRequest): AccountFilter {
  return {
    ...(text === undefined ? {} : { text }),
    ...(role === undefined ? {} : { role }),
    ...(billing === undefined ? {} : { billing }),
    ...(state === undefined ? {} : { isArchived: state === 'archived' }),
  };
}

/** Returns one account with its balance. Throws an `AdminError` that names the nearest id if it does not exist. */
export async function showAccount({ directory, ledger }: Stores, id: string): Promise<ListedAccount> {
  const account = await existingAccount(directory, id);
  return { account, balance: await ledger.balance(account.id) };
}

function emptyBalance(accountId: string): Balance {
  return { accountId, balanceNanoUsd: 0n, leasedNanoUsd: 0n };
}

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

/** Returns a balance as JSON: exact decimals in USD, as text. */
export function balanceView({ balanceNanoUsd, leasedNanoUsd }: Balance) {
  return {
    balance_usd: formatNanoUsd(balanceNanoUsd),
    held_usd: formatNanoUsd(leasedNanoUsd),
    free_usd: formatNanoUsd(balanceNanoUsd - leasedNanoUsd),
  };
}

/** Returns an account as JSON; times are RFC 3339 in UTC. */
export function accountView({ account, balance }: ListedAccount, nowMs: number) {
  const { archivedAtMs } = account;
  return {
    ...accountFields(account),
    budget_raise: raiseFields(account, nowMs),
    ...balanceView(balance),
    state: archivedAtMs === null ? ('active' as const) : ('archived' as const),
    origin: account.origin,
    managed_by: managedBy(account.origin),
    created_at: isoTime(account.createdAtMs),
    archived_at: timeOrNull(archivedAtMs),
  };
}
