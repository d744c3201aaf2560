import type { Account, BillingMode, Role } from '../../../domain/access/account.ts';
import { formatNanoUsd } from '../../../domain/money/nano-usd.ts';
import type { AccountFilter, DirectoryStore } from '../../ports/directory-store.ts';
import type { Balance, Ledger } from '../../ports/ledger.ts';
import type { Store } from '../../ports/store.ts';
import { AdminError, notFound } from '../admin-error.ts';
import { limitOf, type Page, type PageRequest, pageOf, placeAfter } from '../page.ts';
import { accountFields } from '../schema/account.ts';
import { isoTime, managedBy, timeOrNull } from '../view-fields.ts';

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
interface AccountFigures {
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

export function figuresView({ keys, members, spentNanoUsd }: AccountFigures) {
  return { keys, members, spent_30d_usd: formatNanoUsd(spentNanoUsd) };
}

/** Returns an account as JSON; times are RFC 3339 in UTC. */
export function accountView({ account, balance }: ListedAccount) {
  const { archivedAtMs } = account;
  return {
    ...accountFields(account),
    ...balanceView(balance),
    state: archivedAtMs === null ? ('active' as const) : ('archived' as const),
    origin: account.origin,
    managed_by: managedBy(account.origin),
    created_at: isoTime(account.createdAtMs),
    archived_at: timeOrNull(archivedAtMs),
  };
}
