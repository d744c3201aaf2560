import type { Account } from '../../../domain/access/account.ts';
import { keptRaise } from '../../../domain/money/budget-in-force.ts';
import { formatNanoUsd } from '../../../domain/money/nano-usd.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DirectoryRows, DirectoryStore } from '../../ports/directory-store.ts';
import { AdminError, refuseDeclared } from '../admin-error.ts';
import { differences, refuseOther } from '../differences.ts';
import { refuseUnknownGuards } from '../guards/change-guards.ts';
import { type BalancePorts, grantOpeningBalances } from '../ledger/change-ledger.ts';
import { accountFields, accountFrom, newAccountSchema } from '../schema/account.ts';
import { checkInput, withChange } from '../schema/check-input.ts';
import { accountNotFound, type ListedAccount } from './read-accounts.ts';

export interface CreatedAccount extends ListedAccount {
  /** Whether it existed with the same content, so that nothing was changed. */
  readonly alreadyThere: boolean;
}

/**
 * Makes an account and grants its opening balance. Idempotent: the same call again changes nothing. Throws `AdminError` for other content,
 * another `balance_usd` or an invalid field.
 *
 * @param input in the form of a configuration's `accounts`, without `keys` and `management_tokens`
 */
export async function createAccount(ports: BalancePorts, clock: Clock, input: unknown): Promise<CreatedAccount> {
  const { directory, ledger, trail } = ports;
  const {
    openingBalanceNanoUsd,
    credentials: _none,
    ...facts
  } = accountFrom(checkInput(newAccountSchema, ['accounts', 0], input));
  const wanted: Account = { ...facts, createdAtMs: clock.nowMs(), archivedAtMs: null, origin: 'operator' };
  const { account, alreadyThere } = await directory.write({ accounts: [wanted.id], serving: false }, (writer) => {
    const rows = writer.read();
    refuseUnknownGuards(rows, wanted);
    const [existing] = rows.accounts;
    if (existing !== undefined) {
      refuseOther(`account "${existing.id}"`, accountFields(existing), accountFields(wanted));
      return { account: existing, alreadyThere: true };
    }
    writer.putAccount(wanted);
    return { account: wanted, alreadyThere: false };
  });
  const accounts = [{ id: account.id, openingBalanceNanoUsd }];
  const { notices } = await grantOpeningBalances({ ledger, trail }, clock, { accounts });
  if (notices.length > 0) {
    throw new AdminError(
      'already_exists',
      'balance_usd',
      `was already granted with an amount other than ${formatNanoUsd(openingBalanceNanoUsd ?? 0n)}; grant the difference`,
    );
  }
  return { account, balance: await ledger.balance(account.id), alreadyThere };
}

interface ChangedAccount {
  readonly account: Account;
  /** The fields whose value has changed. If empty, nothing was written. */
  readonly changed: readonly string[];
}

const FIXED = {
  id: 'its ledger refers to it; create another account',
  balance_usd: 'it is granted once, when the account is created; grant more, or adjust the balance',
};

/**
 * Changes some fields of an account; `null` resets one to its default. Throws `AdminError` for an invalid field, and for an account that
 * the configuration file declares.
 *
 * @param change in the form of a configuration's `accounts`
 */
export async function changeAccount(store: DirectoryStore, id: string, change: unknown): Promise<ChangedAccount> {
  return onAccount(store, id, (before, rows) => {
    refuseDeclared('account', before);
    const fields = withChange(accountFields(before), change, FIXED);
    const facts = accountFrom(checkInput(newAccountSchema, ['accounts', 0], fields));
    const { openingBalanceNanoUsd: _balance, credentials: _none, ...changed } = facts;
    refuseUnknownGuards(rows, changed);
    const { budgetRaise: _raise, guards: _guards, ...rest } = before;
    return { ...rest, ...changed, ...keptRaise(before, changed.budget), origin: 'operator' };
  });
}

/**
 * Archives an account: none of its keys and tokens is accepted from then on, on any node. Accounts are never deleted, because their ledgers
 * refer to them. Also works for an account of the configuration file. Throws `AdminError` if it does not exist.
 */
export async function archiveAccount(store: DirectoryStore, clock: Clock, id: string): Promise<ChangedAccount> {
  return onAccount(store, id, (before) => ({ ...before, archivedAtMs: before.archivedAtMs ?? clock.nowMs() }));
}

/**
 * Restores an account, so that its keys are accepted again unless they are revoked or expired. Throws `AdminError` if it does not exist.
 */
export async function restoreAccount(store: DirectoryStore, id: string): Promise<ChangedAccount> {
  return onAccount(store, id, (before) => ({ ...before, archivedAtMs: null }));
}

async function onAccount(
  store: DirectoryStore,
  id: string,
  change: (before: Account, rows: DirectoryRows) => Account,
): Promise<ChangedAccount> {
  const done = await store.write({ accounts: [id], serving: false }, (writer): ChangedAccount | null => {
    const rows = writer.read();
    const [before] = rows.accounts;
    if (before === undefined) return null;
    const account = change(before, rows);
    const changed = differences(comparedFields(before), comparedFields(account));
    if (changed.length === 0) return { account: before, changed };
    writer.putAccount(account);
    return { account, changed };
  });
  if (done === null) throw await accountNotFound(store, id);
  return done;
}

function comparedFields(account: Account) {
  return { ...accountFields(account), archived: account.archivedAtMs !== null };
}
