import type { Failure } from '../../domain/failure/failure.ts';
import { storageUnavailable } from '../../domain/failure/storage-unavailable.ts';
import type { Billable } from '../../domain/money/quantity.ts';
import type { LargestRequest } from '../../domain/money/tariff.ts';
import type { AnsweredBy, BillableRequest, Extras, Reservation } from '../ports/billing.ts';
import type { Clock } from '../ports/clock.ts';
import type { HeldCharges } from '../ports/held-charges.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { Logger } from '../ports/logger.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { BillingSettings } from '../settings/billing-settings.ts';
import { holdBeyondPlausible, reportWrittenOff } from './beyond-charge.ts';
import { LedgerAway } from './ledger-away.ts';
import { insufficientBalance, quotaExceeded } from './refusals.ts';
import { costNanoUsd, extrasAsServed, mostNanoUsd } from './request-cost.ts';
import type { Cover, Wallet } from './wallet.ts';

export interface BillingPorts {
  readonly ledger: Ledger;
  /** `problem` says why charges cannot be written at the moment; `null` if they can. */
  readonly store: { readonly problem: string | null };
  readonly heldCharges: HeldCharges;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'chargeHeld'>;
  readonly settings: BillingSettings;
}

/** The amount reserved from one wallet, in one epoch of its leases. */
export interface Held {
  readonly wallet: Wallet;
  readonly amountNanoUsd: bigint;
  readonly epoch: number;
}

/** The reservation for one request, until it is settled or released. */
export class RequestReservation implements Reservation {
  /** The time of the prices that apply. Prices that change during a request apply from the next request on. */
  private readonly pricedAtMs: number;

  private extras: Extras | null = null;
  private answeredBy: AnsweredBy | null = null;

  /** `size`: the size of the request that the amounts were reserved for; `null` if it does not matter. */
  constructor(
    private readonly ports: BillingPorts,
    private readonly request: BillableRequest,
    private readonly size: LargestRequest | null,
    private account: Held | null,
    private key: Held | null,
  ) {
    this.pricedAtMs = ports.clock.nowMs();
  }

  get dependsOnUsage(): boolean {
    const { prices } = this.request;
    return prices !== null && (!prices.isFree || this.extras !== null);
  }

  withExtras(extras: Extras | null): null | Failure | Promise<null | Failure> {
    this.extras = extras;
    // A model without a price is not charged; for a free model only the extras are.
    if (extras !== null && this.dependsOnUsage && this.ports.store.problem !== null) return storageUnavailable();
    if (extras === null || this.size === null || (this.account === null && this.key === null)) return null;
    return this.holdMore(extras, this.size).catch((error) => {
      if (error instanceof LedgerAway) return storageUnavailable();
      throw error;
    });
  }

  /** Raises the reservation for the size that is reserved already or, if that is too much, for the counted prompt. */
  private async holdMore(extras: Extras, size: LargestRequest): Promise<null | Failure> {
    const refusal = await this.raise(extras, size);
    if (refusal === null) return null;
    const counted = await this.request.bounds.counted(this.ports.settings.assumedOutputTokens);
    return counted === null ? refusal : this.raise(extras, counted);
  }

  private async raise(extras: Extras, size: LargestRequest): Promise<null | Failure> {
    const amount = mostNanoUsd(this.request, size, extras, this.pricedAtMs) ?? 0n;
    const account = await this.raised(this.account, amount);
    if (account === 'empty') {
      return insufficientBalance(this.ports.ledger, this.request.principal.account.id, amount);
    }
    this.account = account;
    const key = await this.raised(this.key, amount);
    if (key === 'empty') return quotaExceeded(amount);
    this.key = key;
    return null;
  }

  /**
   * Reserves the difference to a higher amount; a lower one changes nothing. An amount that was lost with its leases is not
   * reserved again: then only the difference is held.
   */
  private async raised(before: Held | null, amountNanoUsd: bigint): Promise<Held | null | 'empty'> {
    if (before === null || before.amountNanoUsd >= amountNanoUsd) return before;
    const { wallet } = before;
    const more = amountNanoUsd - before.amountNanoUsd;
    if (!(await wallet.reserve(more, this.ports.clock.monotonicMs()))) return 'empty';
    return held(wallet, before.epoch === wallet.epoch ? amountNanoUsd : more);
  }

  settle(billable: Billable, answeredBy: AnsweredBy): bigint | null | Promise<bigint | null> {
    this.answeredBy = answeredBy;
    const { isPrivate, channelId, tierFactor, percent } = answeredBy;
    const { request, pricedAtMs } = this;
    if (percent !== undefined) return this.settleShare(billable, answeredBy, BigInt(percent));
    if (isPrivate) return this.charge(this.ports.settings.privateChannelFeeNanoUsd);
    const { billed, stated } = extrasAsServed(this.extras, tierFactor);
    const cost = costNanoUsd(request, billable, billed, pricedAtMs);
    if (cost === null) {
      this.release();
      return null;
    }
    const reported = stated === billed ? cost : (costNanoUsd(request, billable, stated, pricedAtMs) ?? cost);
    const plausible = this.plausibleOf(cost, billable, billed);
    return reported <= plausible
      ? this.charge(reported)
      : this.chargePlausible(billable, channelId, plausible, reported - plausible);
  }

  /** The account's own channels cost nothing where they are not asked. */
  private settleShare(billable: Billable, { isPrivate, tierFactor }: AnsweredBy, percent: bigint) {
    const { billed } = extrasAsServed(this.extras, tierFactor);
    const cost = costNanoUsd(this.request, billable, billed, this.pricedAtMs);
    if (cost !== null) return this.charge(isPrivate ? 0n : (cost * percent) / 100n);
    this.release();
    return null;
  }

  /** The part of the cost that is plausible for this request. */
  private plausibleOf(cost: bigint, billable: Billable, extras: Extras | null): bigint {
    const { bounds } = this.request;
    const toolCalls = extras?.toolCalls ?? 0;
    if (bounds.isPlausible(billable, toolCalls)) return cost;
    const most = mostNanoUsd(this.request, bounds.plausible(toolCalls), extras, this.pricedAtMs) ?? cost;
    return cost < most ? cost : most;
  }

  release(): void {
    const nowMs = this.ports.clock.monotonicMs();
    putBack(this.account, nowMs);
    putBack(this.key, nowMs);
  }

  private charge(cost: bigint): bigint | Promise<bigint> {
    if (cost === 0n) {
      this.release();
      return 0n;
    }
    const account = this.cover(this.account, cost, this.account?.amountNanoUsd ?? 0n);
    const key = this.cover(this.key, cost, this.key?.amountNanoUsd ?? 0n);
    if (account instanceof Promise || key instanceof Promise) {
      return Promise.all([account, key]).then(([ofAccount, ofKey]) => this.write(cost, ofAccount, ofKey));
    }
    return this.write(cost, account, key);
  }

  private cover(
    held: Held | null,
    cost: bigint,
    reserved: bigint,
    epoch = held?.epoch ?? 0,
  ): null | Cover | Promise<Cover> {
    return held?.wallet.settle(reserved, cost, epoch, this.ports.clock.monotonicMs()) ?? null;
  }

  /**
   * A prepaid account, or a key with a limit, never pays more than the purse has: cost beyond the reservation and the rest of the
   * purse is written off.
   */
  private async write(cost: bigint, ofAccount: Cover | null, ofKey: Cover | null): Promise<bigint> {
    // Leases that were lost during the other wallet's request no longer cover anything, so they are taken again.
    const fromAccount = isLost(this.account, ofAccount) ? await this.cover(this.account, cost, 0n) : ofAccount;
    const fromKey = isLost(this.key, ofKey) ? await this.cover(this.key, cost, 0n) : ofKey;
    const costNanoUsd = smallest(cost, fromAccount, fromKey);
    if (costNanoUsd < cost) this.writeOff(cost - costNanoUsd);
    const back = (cover: Cover) => ({ ...cover, amountNanoUsd: cover.amountNanoUsd - costNanoUsd });
    if (fromAccount) this.account?.wallet.putBack(back(fromAccount));
    if (fromKey) this.key?.wallet.putBack(back(fromKey));
    if (costNanoUsd === 0n) return 0n;
    const { requestId, modelId, principal, tags = [] } = this.request;
    const { account, credential } = principal;
    const { channelId = '', status = 200 } = this.answeredBy ?? {};
    await this.ports.ledger.charge({
      requestId,
      accountId: account.id,
      keyId: credential.id,
      costNanoUsd,
      fromAccountLease: fromAccount === null ? 0n : costNanoUsd,
      fromKeyLease: fromKey === null ? 0n : costNanoUsd,
      atMs: this.ports.clock.nowMs(),
      usage: { modelId, channelId, status, tags },
    });
    return costNanoUsd;
  }

  /**
   * Writes the held part first: the charge can be found in the ledger later, but the part that is not charged only
   * there.
   */
  private async chargePlausible(
    billable: Billable,
    channelId: string,
    plausibleNanoUsd: bigint,
    amountNanoUsd: bigint,
  ): Promise<bigint> {
    const { requestId, principal, modelId } = this.request;
    const ids = { requestId, accountId: principal.account.id, keyId: principal.credential.id, modelId, channelId };
    await holdBeyondPlausible(this.ports, { ...ids, amountNanoUsd, plausibleNanoUsd }, billable);
    return this.charge(plausibleNanoUsd);
  }

  private writeOff(amountNanoUsd: bigint): void {
    const { requestId, principal } = this.request;
    reportWrittenOff(this.ports, { requestId, accountId: principal.account.id, amountNanoUsd });
  }
}

export function held(wallet: Wallet | null, amountNanoUsd: bigint): Held | null {
  return wallet === null ? null : { wallet, amountNanoUsd, epoch: wallet.epoch };
}

export function putBack(held: Held | null, nowMs: number): void {
  held?.wallet.settle(held.amountNanoUsd, 0n, held.epoch, nowMs);
}

function isLost(held: Held | null, cover: Cover | null): boolean {
  return held !== null && cover?.epoch !== held.wallet.epoch;
}

function smallest(cost: bigint, ...covers: readonly (Cover | null)[]): bigint {
  return covers.reduce((least, cover) => (cover && cover.amountNanoUsd < least ? cover.amountNanoUsd : least), cost);
}
