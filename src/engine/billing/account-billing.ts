import { after } from '../../domain/concurrency/after.ts';
import { type Failure, storageUnavailable } from '../../domain/failure/failure.ts';
import { limitsModel } from '../../domain/money/budget-in-force.ts';
import type { LargestRequest } from '../../domain/money/tariff.ts';
import type { BillableRequest, Billing, Reservation } from '../ports/billing.ts';
import { LedgerAway } from './ledger-away.ts';
import { refusalOf, withoutPrice } from './refusals.ts';
import { amountToReserve, dependsOnSize } from './request-cost.ts';
import {
  type BillingPorts,
  putBack,
  RequestReservation,
  reservedFrom,
  type WalletReservation,
} from './request-reservation.ts';
import { type Needs, Wallet } from './wallet.ts';
import { type Limiting, Wallets } from './wallets.ts';

/** The reservation, or the wallet that lacks the money for it. */
type ReservationOrShort = Reservation | Wallet;

/** The amount to reserve, and the size of the request that it is for; `null` if the size does not matter. */
interface Sized {
  readonly size: LargestRequest | null;
  readonly amountNanoUsd: bigint;
}

/** The most that a request may cost. */
export interface EstimatedReservation {
  /** `null` if its price is unknown. */
  readonly nanoUsd: bigint | null;
  /** Whether the amount is reserved, because the account or key is limited; otherwise the cost is only recorded. */
  readonly isReserved: boolean;
}

/**
 * Reserves, then settles or releases (design, section 5). Money is reserved for prepaid accounts, keys with a limit, and accounts or keys
 * with a budget; otherwise only the cost of a request is recorded.
 *
 * The largest possible cost is reserved if the spending pool has plenty. Otherwise that reservation would block the account's other requests,
 * although hardly any request costs that much, so the prompt's tokens are counted and the likely cost is reserved. Before a request is
 * refused, the prompts of requests that reserved their largest cost are counted too, and their reservations are lowered.
 */
export class AccountBilling implements Billing {
  readonly wallets: Wallets;

  constructor(private readonly ports: BillingPorts) {
    this.wallets = new Wallets(ports);
  }

  reserve(request: BillableRequest): Reservation | Failure | Promise<Reservation | Failure> {
    const isPrepaid = request.principal.account.billing === 'prepaid';
    if (isPrepaid && request.prices === null && request.mayUsePlatform) return withoutPrice(request.modelId);
    if (this.ports.store.problem !== null && this.mayCharge(request)) return storageUnavailable();
    const limiting = this.wallets.limiting(request.principal, request.modelId);
    if (limiting.wallets.length === 0) {
      return new RequestReservation(this.ports, request, null, [], limiting.budgetsAtMs);
    }
    try {
      const reserving = dependsOnSize(request)
        ? this.reserveTokens(request, limiting)
        : this.reserveFee(request, limiting);
      return reserving instanceof Promise ? reserving.catch((error) => this.unlessAway(error, request)) : reserving;
    } catch (error) {
      return this.unlessAway(error, request);
    }
  }

  promised(request: BillableRequest): Reservation {
    const { budgetsAtMs } = this.wallets.limiting(request.principal, request.modelId);
    return new RequestReservation(this.ports, request, null, [], budgetsAtMs);
  }

  /**
   * Returns the largest amount that `reserve` would hold for the request, without holding it, or why it would refuse the request without
   * looking at the balance.
   */
  estimate(request: BillableRequest): EstimatedReservation | Failure {
    const { principal, modelId } = request;
    const { account, credential } = principal;
    const isPrepaid = account.billing === 'prepaid';
    if (isPrepaid && request.prices === null && request.mayUsePlatform) return withoutPrice(modelId);
    const isLimited =
      credential.limitNanoUsd !== null || [account, credential].some((one) => limitsModel(one, modelId));
    const isReserved = isPrepaid || isLimited;
    if (request.prices === null && request.mayUsePlatform) return { nanoUsd: null, isReserved };
    const fee = request.mayUseOwn ? this.ports.settings.privateChannelFeeNanoUsd : 0n;
    const nanoUsd = dependsOnSize(request) ? this.sized(request, request.bounds.certain()).amountNanoUsd : fee;
    return { nanoUsd, isReserved };
  }

  private reserveTokens(
    request: BillableRequest,
    limiting: Limiting,
  ): Reservation | Failure | Promise<Reservation | Failure> {
    const most = this.sized(request, request.bounds.certain());
    const found = this.reserveFrom(request, limiting, most, 'plenty');
    return found instanceof Wallet || found instanceof Promise
      ? this.reservedOrCounted(request, limiting, most, found)
      : found;
  }

  private async reservedOrCounted(
    request: BillableRequest,
    limiting: Limiting,
    most: Sized,
    reserving: ReservationOrShort | Promise<ReservationOrShort>,
  ): Promise<Reservation | Failure> {
    const found = await reserving;
    return found instanceof Wallet ? this.reserveCounted(request, limiting, most) : found;
  }

  /**
   * Returns whether the request can cause a charge. This includes accounts without a limit, since their charge is also written before the
   * last byte of the answer is sent.
   */
  private mayCharge(request: BillableRequest): boolean {
    return dependsOnSize(request) || (request.mayUseOwn && this.ports.settings.privateChannelFeeNanoUsd > 0n);
  }

  private unlessAway(error: unknown, { requestId }: BillableRequest): Failure {
    if (!(error instanceof LedgerAway)) throw error;
    this.ports.logger.error({ requestId, error: error.message }, 'a reservation for a request failed');
    return storageUnavailable();
  }

  /** Reserves only the fee for a private channel, because the cost does not depend on the size of the request. */
  private reserveFee(
    request: BillableRequest,
    limiting: Limiting,
  ): Reservation | Failure | Promise<Reservation | Failure> {
    const amountNanoUsd = request.mayUseOwn ? this.ports.settings.privateChannelFeeNanoUsd : 0n;
    const amount = { size: null, amountNanoUsd };
    return after(this.reserveFrom(request, limiting, amount, 'enough'), (found) =>
      found instanceof Wallet ? refusalOf(this.ports, found, amountNanoUsd) : found,
    );
  }

  private async reserveCounted(
    request: BillableRequest,
    limiting: Limiting,
    most: Sized,
  ): Promise<Reservation | Failure> {
    const counted = await request.bounds.counted(this.ports.settings.assumedOutputTokens);
    const likely = counted === null ? most : this.sized(request, counted);
    const amount = likely.amountNanoUsd < most.amountNanoUsd ? likely : most;
    let found = await this.reserveFrom(request, limiting, amount, 'enough');
    while (found instanceof Wallet && (await found.lowerOne()))
      found = await this.reserveFrom(request, limiting, amount, 'enough');
    if (found instanceof Wallet && (await this.wallets.giveBackBeside(found))) {
      found = await this.reserveFrom(request, limiting, amount, 'enough');
    }
    return found instanceof Wallet ? this.refused(found, amount.amountNanoUsd) : found;
  }

  private async refused(wallet: Wallet, amountNanoUsd: bigint): Promise<Failure> {
    await this.wallets.learnSpending(wallet);
    return refusalOf(this.ports, wallet, amountNanoUsd);
  }

  private sized(request: BillableRequest, size: LargestRequest): Sized {
    const { clock, settings } = this.ports;
    return { size, amountNanoUsd: amountToReserve(request, size, settings.privateChannelFeeNanoUsd, clock.nowMs()) };
  }

  /** Reserves from all wallets that limit the request, one after the other, or from none. `reserved` holds the reservations made so far. */
  private reserveFrom(
    request: BillableRequest,
    limiting: Limiting,
    amount: Sized,
    needs: Needs,
    reserved: WalletReservation[] = [],
  ): ReservationOrShort | Promise<ReservationOrShort> {
    try {
      for (;;) {
        const wallet = limiting.wallets[reserved.length];
        if (wallet === undefined) {
          const { budgetsAtMs } = limiting;
          const reservation = new RequestReservation(this.ports, request, amount.size, reserved, budgetsAtMs);
          if (needs === 'plenty') reservation.mayBeLowered();
          return reservation;
        }
        const isReserved = wallet.reserve(amount.amountNanoUsd, this.ports.clock.monotonicMs(), needs);
        if (isReserved instanceof Promise) {
          return this.reserveLater(request, limiting, amount, needs, reserved, wallet, isReserved);
        }
        if (!isReserved) return this.without(wallet, reserved);
        reserved.push(reservedFrom(wallet, amount.amountNanoUsd));
      }
    } catch (error) {
      this.putBackAll(reserved);
      throw error;
    }
  }

  private async reserveLater(
    request: BillableRequest,
    limiting: Limiting,
    amount: Sized,
    needs: Needs,
    reserved: WalletReservation[],
    wallet: Wallet,
    reserving: Promise<boolean>,
  ): Promise<ReservationOrShort> {
    let isReserved: boolean;
    try {
      isReserved = await reserving;
    } catch (error) {
      this.putBackAll(reserved);
      throw error;
    }
    if (!isReserved) return this.without(wallet, reserved);
    reserved.push(reservedFrom(wallet, amount.amountNanoUsd));
    return this.reserveFrom(request, limiting, amount, needs, reserved);
  }

  private without(wallet: Wallet, reserved: readonly WalletReservation[]): Wallet {
    this.putBackAll(reserved);
    return wallet;
  }

  private putBackAll(reserved: readonly WalletReservation[]): void {
    const nowMs = this.ports.clock.monotonicMs();
    for (const part of reserved) putBack(part, nowMs);
  }
}
