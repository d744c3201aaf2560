import type { Account } from '../../../domain/access/account.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DirectoryStore } from '../../ports/directory-store.ts';
import { differences } from '../differences.ts';
import { refuseDeclared } from '../owned-elsewhere.ts';
import { accountFrom, accountWords, newAccountSchema } from '../schema/account.ts';
import { checkInput, withChange } from '../schema/check-input.ts';
import { accountNotFound } from './existing-account.ts';

export interface ChangedAccount {
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
  return onAccount(store, id, (before) => {
    refuseDeclared('account', before);
    const words = withChange(accountWords(before), change, FIXED);
    const facts = accountFrom(checkInput(newAccountSchema, ['accounts', 0], words));
    const { openingBalanceNanoUsd: _balance, credentials: _none, ...changed } = facts;
    return { ...before, ...changed, origin: 'operator' };
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
  change: (before: Account) => Account,
): Promise<ChangedAccount> {
  const done = await store.write({ accounts: [id], serving: false }, (writer): ChangedAccount | null => {
    const [before] = writer.read().accounts;
    if (before === undefined) return null;
    const account = change(before);
    const changed = differences(wordsOf(before), wordsOf(account));
    if (changed.length === 0) return { account: before, changed };
    writer.putAccount(account);
    return { account, changed };
  });
  if (done === null) throw await accountNotFound(store, id);
  return done;
}

function wordsOf(account: Account) {
  return { ...accountWords(account), archived: account.archivedAtMs !== null };
}
