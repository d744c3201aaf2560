import { type Bagged, NOWHERE } from '../../domain/concurrency/bag.ts';
import { type Failure, storageUnavailable } from '../../domain/failure/failure.ts';
import type { AppliedPrices } from '../../domain/money/applied-prices.ts';
import { feeMember, NO_COST_MEMBER } from '../../domain/money/cost-parts.ts';
import type { Billable } from '../../domain/money/quantity.ts';
import type { LargestRequest } from '../../domain/money/tariff.ts';
import type { AnsweredBy, BillableRequest, Extras, Reservation } from '../ports/billing.ts';
import type { Clock } from '../ports/clock.ts';
import type { HeldCharges } from '../ports/held-charges.ts';
import type { Charge, ChargedBudgets, Ledger } from '../ports/ledger.ts';
import type { Logger } from '../ports/logger.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { BillingSettings } from '../settings/settings.ts';
import { holdBeyondPlausible, reportWrittenOff } from './beyond-charge.ts';
import { LedgerAway } from './ledger-away.ts';
import { refusalOf } from './refusals.ts';
import {
  amountToReserve,
  type Cost,
  costOf,
  extrasAsServed,
  isDrawnPlausibly,
  mostNanoUsd,
  ownSearchesNanoUsd,
  plausibleExtras,
} from './request-cost.ts';
import type { Cover, Lowerable, Wallet } from './wallet.ts';

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
export interface WalletReservation extends Bagged {
  readonly wallet: Wallet;
  readonly amountNanoUsd: bigint;
  readonly epoch: number;
  /** The reservation that the wallet may lower; `null` if it cannot be lowered further. */
  lowerable: Lowerable | null;
}

/** The factors of the settled amount. */
type Priced =
  | { readonly feeNanoUsd: bigint }
  | {
      readonly billable: Billable;
      readonly cost: Cost;
      readonly percent?: number;
      readonly heldNanoUsd?: bigint;
    };

/** The reservation for one request, until it is settled or released. */
export class RequestReservation implements Reservation, Lowerable {
  /** The time at which the prices are looked up. Prices that change during a request apply from the next request on. */
  private readonly pricedAtMs: number;

  private extras: Extras | null = null;
  private answeredBy: AnsweredBy | null = null;
  private priced: Priced | null = null;
  private raising: Promise<null | Failure> | null = null;
  private isOver = false;
  /** The places where the wallets find this reservation to lower it. */
  private places: readonly WalletReservation[] = [];

  /**
   * @param size the size of the request that the amounts were reserved for; `null` if it does not matter
   * @param parts the amount reserved from each wallet that limits the request
   * @param budgetsAtMs the time that selected the budget periods among them; `null` without budgets
   */
  constructor(
    private readonly ports: BillingPorts,
    private readonly request: BillableRequest,
    private size: LargestRequest | null,
    private parts: readonly WalletReservation[],
    private readonly budgetsAtMs: number | null,
  ) {
    this.pricedAtMs = ports.clock.nowMs();
  }

  /** The fee does not depend on the usage, but has to be charged before the end of the answer, too. */
  get dependsOnUsage(): boolean {
    return this.mayHaveCost || (this.request.mayUseOwn && this.ports.settings.privateChannelFeeNanoUsd > 0n);
  }

  get isPriced(): boolean {
    return this.request.prices !== null;
  }

  private get mayHaveCost(): boolean {
    const { prices } = this.request;
    return prices !== null && (!prices.isFree || this.extras !== null);
  }

  withExtras(extras: Extras | null): null | Failure | Promise<null | Failure> {
    this.extras = extras;
    // A model without a price is not charged; a free model is charged for extras only.
    if (extras !== null && this.mayHaveCost && this.ports.store.problem !== null) return storageUnavailable();
    if (extras === null || this.parts.length === 0 || !this.mayHaveCost) return null;
    // Nothing was reserved for a free model, but another model that may answer has a price.
    this.raising = this.reserveMore(extras, this.size ?? this.request.bounds.certain()).catch((error) => {
      if (error instanceof LedgerAway) return storageUnavailable();
      throw error;
    });
    return this.raising;
  }

  /** Allows the wallets to lower this reservation of the largest bill if another request needs the money. */
  mayBeLowered(): void {
    this.places = this.parts;
    for (const place of this.places) {
      place.lowerable = this;
      place.wallet.lowerable.add(place);
    }
  }

  async lower(): Promise<void> {
    const { request, ports } = this;
    this.keepAsItIs();
    const counted = await request.bounds.counted(ports.settings.assumedOutputTokens);
    await this.raising?.catch(() => null);
    if (counted === null || this.isOver) return;
    this.size = counted;
    const fee = ports.settings.privateChannelFeeNanoUsd;
    const amount = amountToReserve(request, counted, fee, this.pricedAtMs, this.extras);
    const nowMs = ports.clock.monotonicMs();
    this.parts = this.parts.map((before) => {
      if (before.amountNanoUsd <= amount) return before;
      putBack({ ...before, amountNanoUsd: before.amountNanoUsd - amount }, nowMs);
      return { ...before, amountNanoUsd: amount };
    });
  }

  private keepAsItIs(): void {
    for (const place of this.places) place.wallet.lowerable.delete(place);
  }

  private over(): void {
    this.isOver = true;
    this.keepAsItIs();
  }

  /** Raises the reservation for its present size or, if that is too expensive, for the counted prompt. */
  private async reserveMore(extras: Extras, size: LargestRequest): Promise<null | Failure> {
    const refusal = await this.raise(extras, size);
    if (refusal === null) return null;
    const counted = await this.request.bounds.counted(this.ports.settings.assumedOutputTokens);
    return counted === null ? refusal : this.raise(extras, counted);
  }

  private async raise(extras: Extras, size: LargestRequest): Promise<null | Failure> {
    const amount = mostNanoUsd(this.request, size, extras, this.pricedAtMs) ?? 0n;
    for (const [index, before] of this.parts.entries()) {
      const raised = await this.raised(before, amount);
      if (raised === 'empty') return refusalOf(this.ports, before.wallet, amount);
      this.parts = this.parts.with(index, raised);
    }
    return null;
  }

  /**
   * Reserves the difference to a higher amount; a lower one changes nothing. If the earlier amount was lost with its leases, only the
   * difference is reserved.
   */
  private async raised(before: WalletReservation, amountNanoUsd: bigint): Promise<WalletReservation | 'empty'> {
    if (before.amountNanoUsd >= amountNanoUsd) return before;
    const { wallet } = before;
    const more = amountNanoUsd - before.amountNanoUsd;
    if (!(await wallet.reserve(more, this.ports.clock.monotonicMs()))) return 'empty';
    return reservedFrom(wallet, before.epoch === wallet.epoch ? amountNanoUsd : more);
  }

  settle(billable: Billable, answeredBy: AnsweredBy): bigint | null | Promise<bigint | null> {
    this.over();
    this.answeredBy = answeredBy;
    const { isPrivate, channelId, tierFactor, percent } = answeredBy;
    const { request, pricedAtMs } = this;
    if (percent !== undefined) return this.settleShare(billable, answeredBy, BigInt(percent));
    if (isPrivate) return this.settleFee(billable);
    const { billed, stated } = extrasAsServed(this.extras, tierFactor);
    const cost = costOf(request, billable, billed, pricedAtMs);
    if (cost === null) {
      this.release();
      return null;
    }
    const reported = stated === billed ? cost : (costOf(request, billable, stated, pricedAtMs) ?? cost);
    const plausible = this.plausibleOf(cost.nanoUsd, billable, billed);
    const beyond = reported.nanoUsd - plausible;
    this.priced = { billable, cost: reported, ...(beyond > 0n && { heldNanoUsd: beyond }) };
    return beyond <= 0n ? this.charge(reported.nanoUsd) : this.chargePlausible(billable, channelId, plausible, beyond);
  }

  /** The account pays its own provider for the tokens, but the gateway for the searches that this has run. */
  private settleFee(billable: Billable): bigint | Promise<bigint> {
    const feeNanoUsd = this.ports.settings.privateChannelFeeNanoUsd + ownSearchesNanoUsd(billable, this.extras);
    this.priced = { feeNanoUsd };
    return this.charge(feeNanoUsd);
  }

  /** Cached answers are free on the account's own channels, since these are not asked. */
  private settleShare(billable: Billable, { isPrivate, tierFactor }: AnsweredBy, share: bigint) {
    const percent = isPrivate ? 0n : share;
    const { billed } = extrasAsServed(this.extras, tierFactor);
    const cost = costOf(this.request, billable, billed, this.pricedAtMs);
    if (cost !== null) {
      this.priced = { billable, cost, percent: Number(percent) };
      return this.charge((cost.nanoUsd * percent) / 100n);
    }
    this.release();
    return null;
  }

  get applied(): AppliedPrices | null {
    const { priced } = this;
    if (priced === null) return null;
    if ('feeNanoUsd' in priced) return { prices: {}, feeNanoUsd: String(priced.feeNanoUsd) };
    const { billable, cost, percent, heldNanoUsd } = priced;
    const applied = cost.tariff.appliedTo(billable, cost.extras ?? undefined);
    if (percent === undefined && heldNanoUsd === undefined) return applied;
    return {
      ...applied,
      ...(percent !== undefined && { percent }),
      ...(heldNanoUsd !== undefined && { heldNanoUsd: String(heldNanoUsd) }),
    };
  }

  costMember(chargedNanoUsd: bigint): string {
    const { priced } = this;
    if (priced === null) return NO_COST_MEMBER;
    if ('feeNanoUsd' in priced) return feeMember(chargedNanoUsd);
    const { tariff, extras } = priced.cost;
    return tariff.costMember(priced.billable, chargedNanoUsd, extras ?? undefined);
  }

  /** Returns the part of the cost that is plausible for this request. */
  private plausibleOf(cost: bigint, billable: Billable, extras: Extras | null): bigint {
    const { bounds } = this.request;
    const toolCalls = extras?.toolCalls ?? 0;
    if (bounds.isPlausible(billable, toolCalls) && isDrawnPlausibly(billable, extras)) return cost;
    const plausible = plausibleExtras(extras);
    const most = mostNanoUsd(this.request, bounds.plausible(toolCalls), plausible, this.pricedAtMs) ?? cost;
    return cost < most ? cost : most;
  }

  release(): void {
    this.over();
    const nowMs = this.ports.clock.monotonicMs();
    for (const part of this.parts) putBack(part, nowMs);
  }

  private charge(cost: bigint): bigint | Promise<bigint> {
    if (cost === 0n) {
      this.release();
      return 0n;
    }
    const covers: (Cover | Promise<Cover>)[] = [];
    for (const part of this.parts) covers.push(this.cover(part, cost, part.amountNanoUsd, part.epoch));
    return areKnown(covers) ? this.write(cost, covers) : this.writeCovered(cost, covers);
  }

  private async writeCovered(cost: bigint, covering: readonly (Cover | Promise<Cover>)[]): Promise<bigint> {
    const covers: Cover[] = [];
    let failed: { readonly error: unknown } | null = null;
    for (const [index, outcome] of (await Promise.allSettled(covering)).entries()) {
      if (outcome.status === 'rejected') failed = { error: outcome.reason };
      covers[index] = outcome.status === 'rejected' ? NO_COVER : outcome.value;
    }
    if (failed === null) return await this.write(cost, covers);
    for (const [index, { wallet }] of this.parts.entries()) wallet.putBack(covers[index] ?? NO_COVER);
    throw failed.error;
  }

  private cover({ wallet }: WalletReservation, cost: bigint, reserved: bigint, epoch: number): Cover | Promise<Cover> {
    return wallet.settle(reserved, cost, epoch, this.ports.clock.monotonicMs());
  }

  /**
   * Writes the charge. No request is charged more than the spending pools that limit it contain: cost beyond the reservation and the rest of a
   * spending pool is written off.
   */
  private write(cost: bigint, covers: readonly Cover[]): bigint | Promise<bigint> {
    for (let index = 0; index < this.parts.length; index++) {
      if (covers[index]?.epoch !== this.parts[index]?.wallet.epoch) return this.writeCoveredAgain(cost, covers);
    }
    return this.writeCover(cost, covers);
  }

  /** Leases that were lost while another wallet was asked cover nothing, so they are taken again. */
  private writeCoveredAgain(cost: bigint, covers: readonly Cover[]): Promise<bigint> {
    const current = this.parts.map((part, index) => {
      const cover = covers[index] ?? NO_COVER;
      return cover.epoch === part.wallet.epoch ? cover : this.cover(part, cost, 0n, part.epoch);
    });
    return this.writeCovered(cost, current);
  }

  private writeCover(cost: bigint, covers: readonly Cover[]): bigint | Promise<bigint> {
    let costNanoUsd = cost;
    for (const { amountNanoUsd } of covers) if (amountNanoUsd < costNanoUsd) costNanoUsd = amountNanoUsd;
    if (costNanoUsd < cost) this.writeOff(cost - costNanoUsd);
    for (let index = 0; index < covers.length; index++) {
      const { amountNanoUsd, epoch } = covers[index] ?? NO_COVER;
      if (amountNanoUsd > costNanoUsd) {
        this.parts[index]?.wallet.putBack({ epoch, amountNanoUsd: amountNanoUsd - costNanoUsd });
      }
    }
    return costNanoUsd > 0n ? this.charged(costNanoUsd, covers) : costNanoUsd;
  }

  /** Every cover equals the cost here; the excess has been returned. */
  private async charged(costNanoUsd: bigint, covers: readonly Cover[]): Promise<bigint> {
    const { journal } = this.request;
    const charge = this.chargeOf(costNanoUsd);
    try {
      if (journal !== undefined) await journal.charging(charge);
      await this.ports.ledger.charge(charge);
    } finally {
      for (let index = 0; index < covers.length; index++) {
        const { epoch } = covers[index] ?? NO_COVER;
        this.parts[index]?.wallet.charged({ amountNanoUsd: costNanoUsd, epoch });
      }
    }
    return costNanoUsd;
  }

  private chargeOf(costNanoUsd: bigint): Charge {
    const { requestId, modelId, principal, tags = [] } = this.request;
    const { account, credential } = principal;
    const { channelId = '', status = 200 } = this.answeredBy ?? {};
    let fromAccountLease = 0n;
    let fromKeyLease = 0n;
    for (const { wallet } of this.parts) {
      const { keyId, window } = wallet.pool;
      if (window !== undefined) continue;
      if (keyId === null) fromAccountLease = costNanoUsd;
      else fromKeyLease = costNanoUsd;
    }
    const charge = {
      ...{ requestId, accountId: account.id, keyId: credential.id, costNanoUsd, fromAccountLease, fromKeyLease },
      ...{ atMs: this.ports.clock.nowMs(), usage: { modelId, channelId, status, tags } },
    };
    const budgets = this.chargedBudgets();
    return budgets === null ? charge : { ...charge, budgets };
  }

  private chargedBudgets(): ChargedBudgets | null {
    if (this.budgetsAtMs === null) return null;
    const windowOf = (isKeys: boolean) =>
      this.parts.find(({ wallet }) => wallet.of !== null && (wallet.pool.keyId !== null) === isKeys)?.wallet.pool
        .window ?? null;
    return { countedAtMs: this.budgetsAtMs, account: windowOf(false), key: windowOf(true) };
  }

  /** Records the held part first: the charge can be found in the ledger later, but the held part is recorded nowhere else. */
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

function areKnown(covers: readonly (Cover | Promise<Cover>)[]): covers is readonly Cover[] {
  return covers.every((cover) => !(cover instanceof Promise));
}

const NO_COVER: Cover = { amountNanoUsd: 0n, epoch: 0 };

export function reservedFrom(wallet: Wallet, amountNanoUsd: bigint): WalletReservation {
  return { wallet, amountNanoUsd, epoch: wallet.epoch, lowerable: null, place: NOWHERE };
}

export function putBack({ wallet, amountNanoUsd, epoch }: WalletReservation, nowMs: number): void {
  wallet.settle(amountNanoUsd, 0n, epoch, nowMs);
}
