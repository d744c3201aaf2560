import { z } from 'zod';
import type { Account } from '../../../domain/access/account.ts';
import type { Credential, CredentialKey } from '../../../domain/access/api-key.ts';
import type { BudgetRaise } from '../../../domain/money/budget.ts';
import type { BudgetHolder } from '../../../domain/money/budget-in-force.ts';
import { formatNanoUsd } from '../../../domain/money/nano-usd.ts';
import { MAP, time } from '../../../providers/shared/file-fields.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DirectoryStore } from '../../ports/directory-store.ts';
import { AdminError } from '../admin-error.ts';
import { keyNotFound, scopeOfKey } from '../keys/read-keys.ts';
import { checkInput } from '../schema/check-input.ts';
import { amount, MAXIMUM_NANO_USD } from '../schema/fields.ts';
import { accountNotFound } from './read-accounts.ts';

/** The longest time for which a budget can be raised; for longer, change the budget. */
export const LONGEST_RAISE_MS = 366 * 86_400_000;

/** A higher amount for a limited time, as the API and the command line take it. */
export const raiseSchema = z.strictObject(
  {
    usd: amount.optional().meta({ description: 'By how much the budget is raised; or give `to_usd`.' }),
    to_usd: amount.optional().meta({ description: 'The amount in place of the budget’s.' }),
    until: time.meta({ description: 'When the raise ends, in RFC 3339; at most 366 days from now.' }),
  },
  MAP,
);

interface RaisePorts {
  readonly directory: DirectoryStore;
  readonly clock: Pick<Clock, 'nowMs'>;
}

/**
 * Raises the budget of an account until a point in time, also that of an account of the configuration file. A budget has one raise: a later one
 * replaces it. Resolves to the account. Throws `AdminError` for an invalid field, and if there is no such account, or no budget.
 */
export function raiseAccountBudget({ directory, clock }: RaisePorts, id: string, input: unknown): Promise<Account> {
  const wanted = checkInput(raiseSchema, ['raise'], input);
  return onAccount(directory, id, (account) => raiseOf(account, wanted, clock.nowMs()));
}

/** Ends the raise of an account's budget now. Does nothing if there is none. Throws `AdminError` if there is no such account. */
export function endAccountRaise(directory: DirectoryStore, id: string): Promise<Account> {
  return onAccount(directory, id, () => null);
}

/** Does for the budget of a key what `raiseAccountBudget` does for that of an account. */
export function raiseKeyBudget(
  { directory, clock }: RaisePorts,
  key: CredentialKey,
  input: unknown,
): Promise<Credential> {
  const wanted = checkInput(raiseSchema, ['raise'], input);
  return onKey(directory, key, (credential) => raiseOf(credential, wanted, clock.nowMs()));
}

export function endKeyRaise(directory: DirectoryStore, key: CredentialKey): Promise<Credential> {
  return onKey(directory, key, () => null);
}

function raiseOf({ budget }: BudgetHolder, wanted: z.output<typeof raiseSchema>, nowMs: number): BudgetRaise {
  const { usd, to_usd: to, until: untilMs } = wanted;
  if (budget === null) {
    throw new AdminError('conflict', 'budget', 'there is no budget that could be raised; set one first');
  }
  if ((usd === undefined) === (to === undefined)) {
    throw new AdminError('invalid_value', 'usd', 'must be given, or else `to_usd`, but not both');
  }
  if (untilMs <= nowMs) throw new AdminError('invalid_value', 'until', 'must be in the future');
  if (untilMs > nowMs + LONGEST_RAISE_MS) {
    throw new AdminError('invalid_value', 'until', 'must be at most 366 days from now; for longer, change the budget');
  }
  const amountNanoUsd = to ?? budget.amountNanoUsd + (usd ?? 0n);
  if (amountNanoUsd <= budget.amountNanoUsd) {
    const now = formatNanoUsd(budget.amountNanoUsd);
    throw new AdminError('invalid_value', to === undefined ? 'usd' : 'to_usd', `must raise the budget of ${now} USD`);
  }
  if (amountNanoUsd > MAXIMUM_NANO_USD) {
    throw new AdminError('invalid_value', to === undefined ? 'usd' : 'to_usd', 'must lead to at most 1000000000 USD');
  }
  return { amountNanoUsd, untilMs };
}

async function onAccount(
  directory: DirectoryStore,
  id: string,
  raise: (before: Account) => BudgetRaise | null,
): Promise<Account> {
  const changed = await directory.write({ accounts: [id], serving: false }, (writer) => {
    const [before] = writer.read().accounts;
    if (before === undefined) return null;
    const account = { ...before, budgetRaise: raise(before) };
    writer.putAccount(account);
    return account;
  });
  if (changed === null) throw await accountNotFound(directory, id);
  return changed;
}

async function onKey(
  directory: DirectoryStore,
  key: CredentialKey,
  raise: (before: Credential) => BudgetRaise | null,
): Promise<Credential> {
  const changed = await directory.write(scopeOfKey(key), (writer) => {
    const [before] = writer.read().credentials;
    if (before === undefined) return null;
    if (before.revokedAtMs !== null) {
      throw new AdminError('conflict', 'key', `"${before.id}" is permanently revoked: create a new one`);
    }
    const credential = { ...before, budgetRaise: raise(before) };
    writer.putCredential(credential);
    return credential;
  });
  if (changed === null) throw await keyNotFound(directory, key);
  return changed;
}
