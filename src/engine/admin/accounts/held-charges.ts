import { formatNanoUsd } from '../../../domain/money/nano-usd.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DirectoryStore } from '../../ports/directory-store.ts';
import type { HeldCharges, KnownHeldCharge } from '../../ports/held-charges.ts';
import { type Charge, type Ledger, LedgerConflict } from '../../ports/ledger.ts';
import { NO_USAGE } from '../../ports/usage-store.ts';
import { AdminError } from '../admin-error.ts';
import { signedAmountOf } from '../amount.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import { existingAccount } from './existing-account.ts';

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

export interface SettledHeldCharge {
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
