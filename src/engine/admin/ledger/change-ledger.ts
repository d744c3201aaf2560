import type { Hold } from '../../../domain/ledger/hold.ts';
import { formatNanoUsd } from '../../../domain/money/nano-usd.ts';
import { randomBase62 } from '../../access/secrets.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DirectoryStore } from '../../ports/directory-store.ts';
import type { HeldCharges, KnownHeldCharge } from '../../ports/held-charges.ts';
import type { Holds } from '../../ports/holds.ts';
import { type Balance, type Charge, type Ledger, LedgerConflict } from '../../ports/ledger.ts';
import { NO_USAGE } from '../../ports/usage-store.ts';
import { existingAccount } from '../accounts/read-accounts.ts';
import { AdminError } from '../admin-error.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import type { ConfiguredAccount } from '../configuration/configuration.ts';
import { MAXIMUM_NANO_USD, signedAmountOf } from '../schema/fields.ts';

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

export interface BalancePorts {
  readonly directory: DirectoryStore;
  readonly ledger: Ledger;
  readonly trail: AuditTrail;
}

const BALANCE_ACTIONS = { grant: 'balance.grant', adjustment: 'balance.adjust' } as const;
const LONGEST_NOTE = 500;
const LONGEST_KEY = 200;

/** Adds to an account's balance, or subtracts from its free part. Throws `AdminError`. */
export async function changeBalance(ports: BalancePorts, clock: Clock, change: BalanceChange): Promise<ChangedBalance> {
  const { directory, ledger, trail } = ports;
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

export interface OpeningBalances {
  /** The new grants, one per account. */
  readonly granted: readonly { readonly accountId: string; readonly amountNanoUsd: bigint }[];
  /** Statements of the file that were not applied, one sentence each. */
  readonly notices: readonly string[];
}

/**
 * Grants each account the `balance_usd` of the file, once in its life: the entry's idempotency key is `opening:` and the account's id, so
 * neither another start nor another node grants it again, and a later change of the amount grants nothing.
 */
export async function grantOpeningBalances(
  { ledger, trail }: { readonly ledger: Ledger; readonly trail: AuditTrail },
  clock: Clock,
  { accounts }: { readonly accounts: readonly Pick<ConfiguredAccount, 'id' | 'openingBalanceNanoUsd'>[] },
): Promise<OpeningBalances> {
  const granted: { accountId: string; amountNanoUsd: bigint }[] = [];
  const notices: string[] = [];
  for (const { id, openingBalanceNanoUsd } of accounts) {
    if (openingBalanceNanoUsd === null || openingBalanceNanoUsd === 0n) continue;
    const outcome = await grantOnce(ledger, clock, id, openingBalanceNanoUsd);
    if (outcome === 'appended') {
      granted.push({ accountId: id, amountNanoUsd: openingBalanceNanoUsd });
      const after = { kind: 'grant', amount_usd: formatNanoUsd(openingBalanceNanoUsd), note: OPENING_NOTE };
      await trail.note({ action: 'balance.grant', accountId: id, objectId: id, after });
    } else if (outcome === 'conflict') {
      notices.push(
        `account ${id}: balance_usd was already granted with an amount other than ${formatNanoUsd(openingBalanceNanoUsd)}; ` +
          `nothing is granted ("switchyard accounts grant ${id} AMOUNT" adds to a balance)`,
      );
    }
  }
  return { granted, notices };
}

const OPENING_NOTE = 'opening balance';

async function grantOnce(ledger: Ledger, clock: Clock, accountId: string, amountNanoUsd: bigint) {
  try {
    return await ledger.append({
      idempotencyKey: `opening:${accountId}`,
      accountId,
      keyId: null,
      kind: 'grant',
      amountNanoUsd,
      requestId: null,
      atMs: clock.nowMs(),
      note: OPENING_NOTE,
    });
  } catch (error) {
    if (error instanceof LedgerConflict) return 'conflict';
    throw error;
  }
}

interface Stores {
  readonly directory: DirectoryStore;
  readonly ledger: Ledger;
  readonly heldCharges: HeldCharges;
  readonly trail: AuditTrail;
}

/** Dismisses the held charge, so that no account pays for it. Throws `AdminError`. */
export async function dismissHeldCharge(
  { heldCharges, trail }: Pick<Stores, 'heldCharges' | 'trail'>,
  requestId: string,
): Promise<KnownHeldCharge> {
  const held = await openHeldCharge(heldCharges, requestId);
  if (!(await heldCharges.decide(requestId, 'dismissed'))) throw decided(requestId);
  const { accountId } = held;
  const before = { held_usd: formatNanoUsd(held.amountNanoUsd) };
  await trail.note({ action: 'held_charge.dismiss', accountId, objectId: requestId, before });
  return { ...held, state: 'dismissed' };
}

interface SettledHeldCharge {
  readonly held: KnownHeldCharge;
  readonly chargedNanoUsd: bigint;
}

/**
 * Charges the account for it after all: the whole held amount, or `usd` of it. It does not count against the key's limit, because the
 * operator did not choose a key. A prepaid account pays at most its free balance. Throws `AdminError`.
 */
export async function settleHeldCharge(
  { directory, ledger, heldCharges, trail }: Stores,
  clock: Clock,
  requestId: string,
  usd: string | undefined,
): Promise<SettledHeldCharge> {
  const held = await openHeldCharge(heldCharges, requestId);
  const { accountId } = held;
  const amount = usd === undefined ? held.amountNanoUsd : signedAmountOf('usd', usd);
  if (amount <= 0n || amount > held.amountNanoUsd) {
    const most = formatNanoUsd(held.amountNanoUsd);
    throw new AdminError('invalid_value', 'usd', `must be more than 0 and at most the held amount, ${most}`);
  }
  const account = await existingAccount(directory, accountId);
  const pool = { accountId, keyId: null };
  const leased = account.billing === 'prepaid' ? await ledger.lease(pool, amount, amount) : 0n;
  if (account.billing === 'prepaid' && leased < amount) {
    throw new AdminError('insufficient', 'usd', `the account does not have ${formatNanoUsd(amount)} USD available`);
  }
  // A separate id, because the request already has a charge for its plausible part.
  const charge = { requestId: `${requestId}:held`, accountId, keyId: null, costNanoUsd: amount, atMs: clock.nowMs() };
  const usage = { ...NO_USAGE, modelId: held.modelId, channelId: held.channelId ?? '', status: 200 };
  const outcome = await chargeOnce(ledger, { ...charge, fromAccountLease: leased, fromKeyLease: 0n, usage });
  if (outcome !== 'charged' && leased > 0n) await ledger.giveBack(pool, leased);
  if (outcome === 'conflict') throw decided(requestId);
  await heldCharges.decide(requestId, 'settled');
  const before = { held_usd: formatNanoUsd(held.amountNanoUsd) };
  const after = { charged_usd: formatNanoUsd(amount) };
  await trail.note({ action: 'held_charge.settle', accountId, objectId: requestId, before, after });
  return { held: { ...held, state: 'settled' }, chargedNanoUsd: amount };
}

async function chargeOnce(ledger: Ledger, charge: Charge): Promise<'charged' | 'known' | 'conflict'> {
  try {
    return await ledger.charge(charge);
  } catch (error) {
    if (error instanceof LedgerConflict) return 'conflict';
    throw error;
  }
}

async function openHeldCharge(heldCharges: HeldCharges, requestId: string): Promise<KnownHeldCharge> {
  const held = await heldCharges.find(requestId);
  if (held === null) {
    throw new AdminError('not_found', 'request', `there is no held charge for a request "${requestId.slice(0, 100)}"`);
  }
  if (held.state !== 'open') throw decided(requestId);
  return held;
}

function decided(requestId: string): AdminError {
  return new AdminError(
    'already_exists',
    'request',
    `the held charge of "${requestId.slice(0, 100)}" is already decided`,
  );
}

/** Releases the hold of a request that will not be charged. Throws `AdminError`. */
export async function releaseHold(
  { holds, trail }: { readonly holds: Holds; readonly trail: AuditTrail },
  clock: Clock,
  holdId: string,
): Promise<Hold> {
  const named = holdId.slice(0, 100);
  const hold = await holds.find(holdId);
  if (hold === null) throw new AdminError('not_found', 'request', `there is no reservation for a request "${named}"`);
  const closed = await holds.release(holdId, clock.nowMs());
  if (closed?.state === 'settled') {
    throw new AdminError('already_exists', 'request', `the request "${named}" has been settled`);
  }
  if (hold.state === 'open') {
    const { accountId, fromBalanceNanoUsd, fromLimitNanoUsd } = hold;
    const released = formatNanoUsd(fromBalanceNanoUsd ?? fromLimitNanoUsd ?? 0n);
    await trail.note({ action: 'hold.release', accountId, objectId: holdId, after: { released_usd: released } });
  }
  return hold;
}
