import { type Account, BILLING_MODES, type BillingMode, ROLES, type Role } from '../../../domain/access/account.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DirectoryStore } from '../../ports/directory-store.ts';
import { AdminError } from '../admin-error.ts';
import { checkedName, IDENTIFIER, IDENTIFIER_RULE } from '../identifiers.ts';
import { checkedLimit } from '../limits.ts';

export interface NewAccount {
  readonly id: string;
  /** Defaults to the id. */
  readonly name?: string | undefined;
  /** Defaults to `User`. */
  readonly role?: string | undefined;
  readonly admin?: boolean | undefined;
  /** Defaults to `prepaid`. */
  readonly billing?: string | undefined;
  readonly requestsPerMinute?: number | undefined;
  readonly tokensPerMinute?: number | undefined;
  readonly maxConcurrent?: number | undefined;
}

/** Makes an account. Throws `AdminError` when a value is invalid or the id is taken. */
export async function createAccount(store: DirectoryStore, clock: Clock, input: NewAccount): Promise<Account> {
  if (!IDENTIFIER.test(input.id)) throw new AdminError('invalid_value', 'id', IDENTIFIER_RULE);
  const account: Account = {
    id: input.id,
    name: checkedName(input.name ?? input.id),
    role: roleOf(input.role ?? 'User'),
    admin: input.admin ?? false,
    billing: billingOf(input.billing ?? 'prepaid'),
    requestsPerMinute: checkedLimit('requests_per_minute', input.requestsPerMinute),
    tokensPerMinute: checkedLimit('tokens_per_minute', input.tokensPerMinute),
    maxConcurrent: checkedLimit('max_concurrent', input.maxConcurrent),
    strategy: null,
    createdAtMs: clock.nowMs(),
    archivedAtMs: null,
    origin: 'operator',
  };
  return store.write({ accounts: [account.id], serving: false }, (writer) => {
    if (writer.read().accounts.length > 0) {
      throw new AdminError('already_exists', 'id', `the account "${account.id}" already exists`);
    }
    writer.putAccount(account);
    return account;
  });
}

function roleOf(text: string): Role {
  const role = ROLES.find((known) => known.toLowerCase() === text.toLowerCase());
  if (role === undefined) throw new AdminError('invalid_value', 'role', `must be one of ${ROLES.join(', ')}`);
  return role;
}

function billingOf(text: string): BillingMode {
  const billing = BILLING_MODES.find((known) => known === text);
  if (billing === undefined) {
    throw new AdminError('invalid_value', 'billing', `must be one of ${BILLING_MODES.join(', ')}`);
  }
  return billing;
}
