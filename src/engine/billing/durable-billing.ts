import { type Failure, storageUnavailable } from '../../domain/failure/failure.ts';
import type { HeldBudget, Hold, NewHold } from '../../domain/ledger/hold.ts';
import type { AppliedPrices } from '../../domain/money/applied-prices.ts';
import { type Budget, budgetWindow } from '../../domain/money/budget.ts';
import { amountFor, budgetInForce } from '../../domain/money/budget-in-force.ts';
import { formatNanoUsd } from '../../domain/money/nano-usd.ts';
import { PriceSheet } from '../../domain/money/price-sheet.ts';
import type { ModelPricing } from '../../domain/money/pricing.ts';
import type { Billable } from '../../domain/money/quantity.ts';
import type { LargestRequest } from '../../domain/money/tariff.ts';
import type { AnsweredBy, BillableRequest, DurableBilling, DurableReservation } from '../ports/billing.ts';
import type { HoldShortage, Holds } from '../ports/holds.ts';
import { holdBeyondPlausible, reportWrittenOff } from './beyond-charge.ts';
import { fromLedger, LedgerAway } from './ledger-away.ts';
import { budgetExceeded, insufficientBalance, quotaExceeded, withoutPrice } from './refusals.ts';
import { amountToReserve, dependsOnSize, mostNanoUsd } from './request-cost.ts';
import type { BillingPorts } from './request-reservation.ts';
import type { Wallets } from './wallets.ts';

export interface DurableBillingPorts extends BillingPorts {
  readonly holds: Holds;
}

/** The facts needed to settle a hold, stored as JSON in its `terms`. */
interface HoldTerms {
  readonly modelId: string;
  readonly pricing: ModelPricing;
  /** The time at which the prices are looked up. Prices that change before the settlement apply from the next request on. */
  readonly pricedAtMs: number;
  /** The fee for the request over the account's own channel, in nano-USD, as decimal digits. */
  readonly feeNanoUsd: string;
  /** The largest plausible cost, in nano-USD, as decimal digits; `null` if no price is known. */
  readonly plausibleNanoUsd: string | null;
  /** The tags under which the charge is summed; absent if there are none, and in holds of older versions. */
  readonly tags?: readonly string[];
}

/**
 * Reserves, settles and releases through holds in the ledger (domain/ledger/hold.ts) instead of leases in memory. This needs a durable
 * write before the upstream is asked, so it is for long-running requests.
 */
export class HoldBilling implements DurableBilling {
  constructor(
    private readonly ports: DurableBillingPorts,
    /** The wallets of this process, whose idle leases can be returned for a hold. */
    private readonly wallets: Pick<Wallets, 'giveBackFree' | 'limiting' | 'learnSpending'>,
  ) {}

  async hold(request: BillableRequest, expiresAtMs: number): Promise<DurableReservation | Failure> {
    const { account } = request.principal;
    if (account.billing === 'prepaid' && request.prices === null && request.mayUsePlatform) {
      return withoutPrice(request.modelId);
    }
    if (this.ports.store.problem !== null) return storageUnavailable();
    try {
      return await this.holdMoney(request, expiresAtMs);
    } catch (error) {
      if (!(error instanceof LedgerAway)) throw error;
      const fields = { requestId: request.requestId, error: error.message };
      this.ports.logger.error(fields, 'a reservation for a request failed');
      return storageUnavailable();
    }
  }

  async resume(id: string): Promise<DurableReservation | null> {
    const hold = await this.ports.holds.find(id);
    return hold === null ? null : new HoldReservation(this.ports, hold);
  }

  private async holdMoney(request: BillableRequest, expiresAtMs: number): Promise<DurableReservation | Failure> {
    const certain = this.holdOf(request, request.bounds.certain(), expiresAtMs);
    const first = await this.holdFreed(request, certain);
    if (typeof first !== 'string') return first;
    const counted = dependsOnSize(request)
      ? await request.bounds.counted(this.ports.settings.assumedOutputTokens)
      : null;
    if (counted === null) return this.refused(request, certain, first);
    const likely = this.holdOf(request, counted, expiresAtMs);
    const second = await this.holdFreed(request, likely);
    return typeof second === 'string' ? this.refused(request, likely, second) : second;
  }

  /**
   * Tries to hold the amount. If it is refused, returns the idle leases of this process, which may be the missing money, and tries once
   * more.
   */
  private async holdFreed(request: BillableRequest, hold: NewHold): Promise<DurableReservation | HoldShortage> {
    const { holds } = this.ports;
    let outcome = await fromLedger(() => holds.hold(hold));
    if (outcome !== 'held' && outcome !== 'known') {
      const { accountId, id: keyId } = request.principal.credential;
      await fromLedger(() => this.wallets.giveBackFree({ accountId, keyId }));
      outcome = await fromLedger(() => holds.hold(hold));
    }
    return outcome === 'held' || outcome === 'known' ? new HoldReservation(this.ports, hold) : outcome;
  }

  private holdOf(request: BillableRequest, size: LargestRequest, expiresAtMs: number): NewHold {
    const { clock, settings } = this.ports;
    const { account, credential } = request.principal;
    const atMs = clock.nowMs();
    const amount = dependsOnSize(request)
      ? amountToReserve(request, size, settings.privateChannelFeeNanoUsd, atMs)
      : feeOf(request, settings.privateChannelFeeNanoUsd);
    return {
      holdId: request.requestId,
      accountId: account.id,
      keyId: credential.id,
      fromBalanceNanoUsd: account.billing === 'prepaid' ? amount : null,
      fromLimitNanoUsd: credential.limitNanoUsd === null ? null : amount,
      keyLimitNanoUsd: credential.limitNanoUsd,
      budgets: heldBudgets(request, amount, atMs),
      terms: JSON.stringify(this.termsOf(request, atMs)),
      atMs,
      expiresAtMs,
    };
  }

  private termsOf(request: BillableRequest, pricedAtMs: number): HoldTerms {
    const plausible = mostNanoUsd(request, request.bounds.plausible(0), null, pricedAtMs);
    return {
      modelId: request.modelId,
      pricing: request.prices?.pricing ?? null,
      pricedAtMs,
      feeNanoUsd: String(this.ports.settings.privateChannelFeeNanoUsd),
      plausibleNanoUsd: plausible === null ? null : String(plausible),
      ...(request.tags !== undefined && { tags: request.tags }),
    };
  }

  private async refused(
    { principal, modelId }: BillableRequest,
    hold: NewHold,
    shortage: HoldShortage,
  ): Promise<Failure> {
    if (shortage === 'balance') {
      return insufficientBalance(this.ports.ledger, hold.accountId, hold.fromBalanceNanoUsd ?? 0n);
    }
    const isKeys = shortage === 'key_budget';
    const budget = budgetInForce(isKeys ? principal.credential : principal.account, hold.atMs);
    const held = hold.budgets.find(({ keyId }) => (keyId !== null) === isKeys);
    if (shortage === 'limit' || budget === null || held === undefined)
      return quotaExceeded(hold.fromLimitNanoUsd ?? 0n);
    for (const wallet of this.wallets.limiting(principal, modelId).wallets) {
      await fromLedger(() => this.wallets.learnSpending(wallet));
    }
    const of = { budget, isCeiling: budget.reroute?.modelId === modelId };
    return budgetExceeded({ ...of, window: held.window, isKeys }, held.heldNanoUsd, this.ports.clock.nowMs());
  }
}

function heldBudgets(
  { principal: { account, credential }, modelId }: BillableRequest,
  heldNanoUsd: bigint,
  atMs: number,
): readonly HeldBudget[] {
  const owners = [
    { keyId: null, budget: budgetInForce(account, atMs) },
    { keyId: credential.id, budget: budgetInForce(credential, atMs) },
  ];
  return owners.flatMap(({ keyId, budget }) =>
    budget === null ? [] : [{ keyId, ...heldIn(budget, modelId, heldNanoUsd, atMs) }],
  );
}

/** More than can be spent, and less than the largest integer of the databases with all spending subtracted. */
const UNLIMITED_NANO_USD = 4_000_000_000_000_000_000n;

/** Returns what a hold reserves of a budget. A budget that does not limit the model is named too, since the charge counts in its period. */
function heldIn(budget: Budget, modelId: string, heldNanoUsd: bigint, atMs: number): Omit<HeldBudget, 'keyId'> {
  const window = budgetWindow(budget, atMs);
  const budgetNanoUsd = amountFor(budget, modelId);
  if (budgetNanoUsd === null) return { window, heldNanoUsd: 0n, budgetNanoUsd: UNLIMITED_NANO_USD };
  return { window, heldNanoUsd, budgetNanoUsd };
}

function feeOf({ mayUseOwn }: BillableRequest, feeNanoUsd: bigint): bigint {
  return mayUseOwn ? feeNanoUsd : 0n;
}

/**
 * Returns what a usage costs under the terms of a hold, up to the plausible amount, for a charge that is not written by settling the hold.
 * `null` if no price was known.
 */
export function costUnderTerms(
  text: string,
  billable: Billable,
  isPrivate: boolean,
): { readonly nanoUsd: bigint; readonly tags: readonly string[] } | null {
  // Only `termsOf` writes it.
  const { pricing, pricedAtMs, feeNanoUsd, plausibleNanoUsd, tags = [] } = JSON.parse(text) as HoldTerms;
  if (isPrivate) return { nanoUsd: BigInt(feeNanoUsd), tags };
  const cost = PriceSheet.parse(pricing)?.tariffFor(billable, pricedAtMs).costNanoUsd(billable);
  return cost === undefined ? null : { nanoUsd: smaller(cost, BigInt(plausibleNanoUsd ?? cost)), tags };
}

class HoldReservation implements DurableReservation {
  readonly id: string;
  applied: AppliedPrices | null = null;
  private readonly terms: HoldTerms;

  constructor(
    private readonly ports: DurableBillingPorts,
    private readonly of: NewHold | Hold,
  ) {
    this.id = of.holdId;
    // Only `termsOf` writes `terms`.
    this.terms = JSON.parse(of.terms) as HoldTerms;
  }

  async settle(
    billable: Billable,
    { channelId, isPrivate }: Pick<AnsweredBy, 'channelId' | 'isPrivate'>,
  ): Promise<bigint | null> {
    const cost = isPrivate ? this.fee() : this.costOf(billable);
    if (cost === null) {
      await this.release();
      return null;
    }
    const plausible = isPrivate ? cost : smaller(cost, BigInt(this.terms.plausibleNanoUsd ?? cost));
    // If the hold was closed before, its implausible part was held then, or nothing was charged.
    const isOpen = !('state' in this.of) || this.of.state === 'open';
    if (plausible < cost && this.applied !== null) {
      this.applied = { ...this.applied, heldNanoUsd: String(cost - plausible) };
    }
    if (plausible < cost && isOpen) await this.holdBeyond(billable, channelId, plausible, cost - plausible);
    return this.settleWith(plausible, channelId);
  }

  async release(): Promise<void> {
    await this.ports.holds.release(this.id, this.ports.clock.nowMs());
  }

  private fee(): bigint {
    const { feeNanoUsd } = this.terms;
    this.applied = { prices: {}, feeNanoUsd };
    return BigInt(feeNanoUsd);
  }

  private costOf(billable: Billable): bigint | null {
    const { pricing, pricedAtMs } = this.terms;
    const tariff = PriceSheet.parse(pricing)?.tariffFor(billable, pricedAtMs);
    if (tariff === undefined) return null;
    this.applied = tariff.appliedTo(billable);
    return tariff.costNanoUsd(billable);
  }

  private async settleWith(costNanoUsd: bigint, channelId: string): Promise<bigint> {
    const { holds, clock, logger } = this.ports;
    const { modelId, tags = [] } = this.terms;
    const usage = { modelId, channelId, status: 200, tags };
    const closed = await holds.settle(this.id, costNanoUsd, clock.nowMs(), usage);
    if (closed === null) throw new Error(`There is no hold "${this.id}" to settle.`);
    const { state, chargedNanoUsd } = closed;
    const missing = costNanoUsd - chargedNanoUsd;
    if (state === 'released') {
      const fields = { requestId: this.id, accountId: this.of.accountId, costUsd: formatNanoUsd(costNanoUsd) };
      logger.warn(fields, 'a request with a cost was not charged: its hold had been released');
    } else if (missing > 0n) {
      reportWrittenOff(this.ports, { requestId: this.id, accountId: this.of.accountId, amountNanoUsd: missing });
    }
    return chargedNanoUsd;
  }

  private async holdBeyond(
    billable: Billable,
    channelId: string,
    plausibleNanoUsd: bigint,
    amountNanoUsd: bigint,
  ): Promise<void> {
    const { accountId, keyId } = this.of;
    const ids = { requestId: this.id, accountId, keyId, modelId: this.terms.modelId, channelId };
    await holdBeyondPlausible(this.ports, { ...ids, amountNanoUsd, plausibleNanoUsd }, billable);
  }
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
