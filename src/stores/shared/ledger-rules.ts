import type { Hold } from '../../domain/ledger/hold.ts';
import { formatNanoUsd } from '../../domain/money/nano-usd.ts';
import { type Charge, LedgerConflict, type NewEntry } from '../../engine/ports/ledger.ts';
import type { ChargeUsage } from '../../engine/ports/usage-store.ts';

/** The largest integer of the databases: about 9.2 billion USD. */
const LARGEST = (1n << 63n) - 1n;

/** The entry that a charge is written as. */
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

/** Throws where the kind and the sign do not go together, or no database could hold the amount. */
export function refuseMalformed(entry: NewEntry): void {
  const { kind, amountNanoUsd } = entry;
  const isWrongWay =
    kind === 'charge' ? amountNanoUsd > 0n : (kind === 'grant' || kind === 'refund') && amountNanoUsd < 0n;
  if (isWrongWay) {
    throw new Error(`A ${kind} of ${formatNanoUsd(amountNanoUsd)} USD: its sign belongs to another kind of entry.`);
  }
  refuseTooLarge(amountNanoUsd);
}

/** The same of a charge, of which nearly all are well-formed. */
export function refuseMalformedCharge(charge: Charge): void {
  const { costNanoUsd } = charge;
  if (costNanoUsd < 0n || costNanoUsd > LARGEST) refuseMalformed(chargeEntry(charge));
}

/** `append` is for the other kinds: a charge also counts against its key and its leases. */
export function refuseCharge({ kind, requestId }: NewEntry): void {
  if (kind === 'charge') throw new Error(`The charge of the request "${requestId}" must be made with charge().`);
}

export function refuseTooLarge(amountNanoUsd: bigint): void {
  if (amountNanoUsd > LARGEST || amountNanoUsd < -LARGEST) {
    throw new RangeError(`${formatNanoUsd(amountNanoUsd)} USD is more than the ledger can hold.`);
  }
}

/** The amount, or the most that a database can hold. */
export function largestAmount(amountNanoUsd: bigint): bigint {
  return amountNanoUsd > LARGEST ? LARGEST : amountNanoUsd;
}

/** Whether an entry that is known is the same one, sent again; when it was sent and its note do not matter. */
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
    `The ledger has another entry under the key "${entry.idempotencyKey}": ${describe(known)}, and not ${describe(entry)}.`,
  );
}

export function holdConflict(holdId: string): LedgerConflict {
  return new LedgerConflict(`Another hold has the id "${holdId}".`);
}

/** Only the settling of a hold charges its request. */
export function strayCharge(holdId: string): LedgerConflict {
  return new LedgerConflict(`The request "${holdId}" has a charge that is not of its hold.`);
}

/**
 * The charge of a hold, which counts in the periods of budgets that it is of, however late it is made. What the hold has kept is
 * given back when it is closed.
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

/** When a charge counts for budgets, as its entry has it; NULL where that is when it was written. */
export function countedAt({ budgets }: Charge): bigint | null {
  return budgets === undefined ? null : BigInt(Math.floor(budgets.countedAtMs));
}

/** How much of the free amount a lease gets. */
export function leasable(free: bigint, wanted: bigint, least: bigint): bigint {
  const most = wanted < free ? wanted : free;
  return most <= 0n || most < least ? 0n : most;
}

function describe({ kind, amountNanoUsd, accountId, keyId, requestId }: NewEntry): string {
  const key = keyId === null ? '' : `, key "${keyId}"`;
  const request = requestId === null ? '' : `, request "${requestId}"`;
  return `a ${kind} of ${formatNanoUsd(amountNanoUsd)} USD, account "${accountId}"${key}${request}`;
}
