import type { Hold } from '../../domain/ledger/hold.ts';
import { formatNanoUsd } from '../../domain/money/nano-usd.ts';
import { type Charge, LedgerConflict, type NewEntry } from '../../engine/ports/ledger.ts';
import type { ChargeUsage } from '../../engine/ports/usage-store.ts';

/** The largest integer of the databases, about 9.2 billion USD. */
const LARGEST = (1n << 63n) - 1n;

/** Returns the ledger entry of a charge. */
export function chargeEntry(charge: Charge): NewEntry {
  return {
    idempotencyKey: `charge:${charge.requestId}`,
    accountId: charge.accountId,
    keyId: charge.keyId,
    kind: 'charge',
    amountNanoUsd: -charge.costNanoUsd,
    requestId: charge.requestId,
    atMs: charge.atMs,
    note: null,
  };
}

/** Throws if the sign does not fit the kind, or the amount exceeds what a database can store. */
export function refuseMalformed(entry: NewEntry): void {
  const { kind, amountNanoUsd } = entry;
  const isWrongWay =
    kind === 'charge' ? amountNanoUsd > 0n : (kind === 'grant' || kind === 'refund') && amountNanoUsd < 0n;
  if (isWrongWay) {
    throw new Error(`A ${kind} of ${formatNanoUsd(amountNanoUsd)} USD has the wrong sign for its kind.`);
  }
  refuseTooLarge(amountNanoUsd);
}

/** Does the same for a charge, with a fast path for well-formed ones. */
export function refuseMalformedCharge(charge: Charge): void {
  const { costNanoUsd } = charge;
  if (costNanoUsd < 0n || costNanoUsd > LARGEST) refuseMalformed(chargeEntry(charge));
}

/** Throws if a charge is passed to `append`, since charges also count against keys and leases. */
export function refuseCharge({ kind, requestId }: NewEntry): void {
  if (kind === 'charge') throw new Error(`The charge of the request "${requestId}" must be made with charge().`);
}

export function refuseTooLarge(amountNanoUsd: bigint): void {
  if (amountNanoUsd > LARGEST || amountNanoUsd < -LARGEST) {
    throw new RangeError(`${formatNanoUsd(amountNanoUsd)} USD is more than the ledger can store.`);
  }
}

/** Returns the amount, capped at the most that a database can store. */
export function largestAmount(amountNanoUsd: bigint): bigint {
  return amountNanoUsd > LARGEST ? LARGEST : amountNanoUsd;
}

/** Whether two entries are the same one sent again. Time and note are ignored. */
export function isSameEntry(known: NewEntry, entry: NewEntry): boolean {
  return (
    known.accountId === entry.accountId &&
    known.keyId === entry.keyId &&
    known.kind === entry.kind &&
    known.amountNanoUsd === entry.amountNanoUsd &&
    known.requestId === entry.requestId
  );
}

export function ledgerConflict(known: NewEntry, entry: NewEntry): LedgerConflict {
  return new LedgerConflict(
    `The ledger has another entry with the idempotency key "${entry.idempotencyKey}": ${describe(known)}, not ${describe(entry)}.`,
  );
}

export function holdConflict(holdId: string): LedgerConflict {
  return new LedgerConflict(`Another hold has the id "${holdId}".`);
}

/** Returns the error for a request that was charged other than by settling its hold. */
export function strayCharge(holdId: string): LedgerConflict {
  return new LedgerConflict(`The request "${holdId}" has a charge that does not belong to its hold.`);
}

/**
 * Returns the charge of a hold. It counts in the hold's budget periods, however late it is made. The reserved amount is released when the
 * hold is closed.
 */
export function chargeOfHold(
  { holdId, accountId, keyId, budgets, atMs: heldAtMs }: Hold,
  costNanoUsd: bigint,
  atMs: number,
  usage: ChargeUsage,
): Charge {
  const nothingLeased = { fromAccountLease: 0n, fromKeyLease: 0n };
  const charge = { requestId: holdId, accountId, keyId, costNanoUsd, ...nothingLeased, atMs, usage };
  return budgets.length === 0 ? charge : { ...charge, budgets: { countedAtMs: heldAtMs, account: null, key: null } };
}

/** Returns the stored time that decides a charge's budget period; NULL if that is the time of writing. */
export function countedAt({ budgets }: Charge): bigint | null {
  return budgets === undefined ? null : BigInt(Math.floor(budgets.countedAtMs));
}

/** Returns the part of the free amount that a lease receives. */
export function leasable(free: bigint, wanted: bigint, least: bigint): bigint {
  const most = wanted < free ? wanted : free;
  return most <= 0n || most < least ? 0n : most;
}

function describe({ kind, amountNanoUsd, accountId, keyId, requestId }: NewEntry): string {
  const key = keyId === null ? '' : `, key "${keyId}"`;
  const request = requestId === null ? '' : `, request "${requestId}"`;
  return `a ${kind} of ${formatNanoUsd(amountNanoUsd)} USD, account "${accountId}"${key}${request}`;
}
