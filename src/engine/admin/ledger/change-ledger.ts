import { formatNanoUsd } from '../../../domain/money/nano-usd.ts';
import { randomBase62 } from '../../access/secrets.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DirectoryStore } from '../../ports/directory-store.ts';
import { type Balance, type Ledger, LedgerConflict } from '../../ports/ledger.ts';
import { existingAccount } from '../accounts/existing-account.ts';
import { AdminError } from '../admin-error.ts';
import { signedAmountOf } from '../amount.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import { MAXIMUM_NANO_USD } from '../identifiers.ts';

export interface BalanceChange {
  /** A `grant` adds; an `adjustment` may also subtract, and needs a note. */
  readonly kind: 'grant' | 'adjustment';
  readonly accountId: string;
  /** A decimal amount, signed for an adjustment. */
  readonly usd: string;
  readonly note?: string | undefined;
  /** Makes the change idempotent: the same change with the same key is made once. Without a key every change is new. */
  readonly idempotencyKey?: string | undefined;
}

export interface ChangedBalance {
  readonly amountNanoUsd: bigint;
  /** Whether it had been made before under the same idempotency key, so that nothing was changed. */
  readonly alreadyMade: boolean;
  readonly balance: Balance;
}

export interface Books {
  readonly directory: DirectoryStore;
  readonly ledger: Ledger;
  readonly trail: AuditTrail;
}

const BALANCE_ACTIONS = { grant: 'balance.grant', adjustment: 'balance.adjust' } as const;
const LONGEST_NOTE = 500;
const LONGEST_KEY = 200;

/** Adds to an account's balance, or subtracts from its free part. Throws `AdminError`. */
export async function changeBalance(books: Books, clock: Clock, change: BalanceChange): Promise<ChangedBalance> {
  const { directory, ledger, trail } = books;
  const { kind, accountId } = change;
  const amountNanoUsd = signedAmountOf('usd', change.usd);
  if (kind === 'grant' && amountNanoUsd <= 0n) {
    throw new AdminError('invalid_value', 'usd', 'must be more than 0 (an adjustment can lower a balance)');
  }
  if (amountNanoUsd === 0n) throw new AdminError('invalid_value', 'usd', 'must not be 0');
  const note = noteOf(change);
  const idempotencyKey = keyOf(change.idempotencyKey);
  await existingAccount(directory, accountId);
  const before = await ledger.balance(accountId);
  if (before.balanceNanoUsd + amountNanoUsd > MAXIMUM_NANO_USD) {
    throw new AdminError('invalid_value', 'usd', 'would bring the balance above 1000000000');
  }
  const outcome = await append(ledger, {
    idempotencyKey,
    accountId,
    keyId: null,
    kind,
    amountNanoUsd,
    requestId: null,
    atMs: clock.nowMs(),
    note,
  });
  if (outcome === 'appended') {
    const after = { kind, amount_usd: formatNanoUsd(amountNanoUsd), note, idempotency_key: idempotencyKey };
    await trail.note({ action: BALANCE_ACTIONS[kind], accountId, objectId: accountId, after });
  }
  const balance = await ledger.balance(accountId);
  if (outcome === 'insufficient') throw insufficient(balance);
  return { amountNanoUsd, alreadyMade: outcome === 'known', balance };
}

async function append(ledger: Ledger, entry: Parameters<Ledger['append']>[0]) {
  try {
    return await ledger.append(entry);
  } catch (error) {
    if (!(error instanceof LedgerConflict)) throw error;
    throw new AdminError('already_exists', 'idempotency_key', 'was used for another change; choose a new one');
  }
}

function noteOf({ kind, note }: BalanceChange): string | null {
  if (note === undefined || note.trim() === '') {
    if (kind === 'adjustment') throw new AdminError('invalid_value', 'note', 'must say what the adjustment is for');
    return null;
  }
  if (note.length > LONGEST_NOTE) {
    throw new AdminError('invalid_value', 'note', `must have at most ${LONGEST_NOTE} characters`);
  }
  return note;
}

/** Prefixes keys chosen by operators, to separate them from the ledger's own keys, such as `charge:` and a request's id. */
function keyOf(chosen: string | undefined): string {
  if (chosen === undefined) return `operator:${randomBase62(20)}`;
  if (!/^[\x21-\x7e]+$/.test(chosen) || chosen.length > LONGEST_KEY) {
    throw new AdminError(
      'invalid_value',
      'idempotency_key',
      `must be 1 to ${LONGEST_KEY} ASCII characters without spaces`,
    );
  }
  return `operator:${chosen}`;
}

function insufficient({ balanceNanoUsd, leasedNanoUsd }: Balance): AdminError {
  const held = leasedNanoUsd === 0n ? '' : `, of which ${formatNanoUsd(leasedNanoUsd)} is reserved for requests`;
  return new AdminError(
    'insufficient',
    'usd',
    `would exceed the balance, which is ${formatNanoUsd(balanceNanoUsd)} USD${held}`,
  );
}
