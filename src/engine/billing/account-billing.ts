import type { Failure } from '../../domain/failure/failure.ts';
import { storageUnavailable } from '../../domain/failure/storage-unavailable.ts';
import type { LargestRequest } from '../../domain/money/tariff.ts';
import type { BillableRequest, Billing, Reservation } from '../ports/billing.ts';
import { LedgerAway } from './ledger-away.ts';
import { insufficientBalance, quotaExceeded, withoutPrice } from './refusals.ts';
import { amountToHold, dependsOnSize } from './request-cost.ts';
import { type BillingPorts, type Held, held, putBack, RequestReservation } from './request-reservation.ts';
import type { Needs, Wallet } from './wallet.ts';
import { Wallets } from './wallets.ts';

/** The purse that does not have enough: the account's balance or the key's limit. */
type Shortage = 'balance' | 'limit';
type Holding = Reservation | Shortage;

/** The amount to reserve, and the size of the request that it is for; `null` if the size does not matter. */
interface Sized {
  readonly size: LargestRequest | null;
  readonly amountNanoUsd: bigint;
}

/**
 * Reserve, then settle or release (design, section 5). Money is reserved for prepaid accounts and for keys with a limit; for
 * others nothing is reserved, and the cost of a request is recorded.
 *
 * The largest bill that an upstream could make for the request is reserved if the purse has plenty. Otherwise that would block
 * other requests of the account, since nearly no request costs so much: then the prompt is counted.
 */
export class AccountBilling implements Billing {
  readonly wallets: Wallets;

  constructor(private readonly ports: BillingPorts) {
    this.wallets = new Wallets(ports);
  }

  reserve(request: BillableRequest): Reservation | Failure | Promise<Reservation | Failure> {
    const { account, credential } = request.principal;
    const isPrepaid = account.billing === 'prepaid';
    if (isPrepaid && request.prices === null && request.mayUsePlatform) return withoutPrice(request.modelId);
    if (this.ports.store.problem !== null && this.mayCharge(request)) return storageUnavailable();
    const key = this.wallets.key(credential);
    if (!isPrepaid && key === null) return new RequestReservation(this.ports, request, null, null, null);
    try {
      const holding = dependsOnSize(request) ? this.reserveTokens(request, key) : this.reserveFee(request, key);
      return holding instanceof Promise ? holding.catch((error) => this.unlessAway(error, request)) : holding;
    } catch (error) {
      return this.unlessAway(error, request);
    }
  }

  private reserveTokens(
    request: BillableRequest,
    key: Wallet | null,
  ): Reservation | Failure | Promise<Reservation | Failure> {
    const most = this.sized(request, request.bounds.certain());
    const holding = this.hold(request, key, most, 'plenty');
    const orCounted = (found: Holding): Reservation | Promise<Reservation | Failure> =>
      typeof found === 'string' ? this.reserveCounted(request, key, most) : found;
    return holding instanceof Promise ? holding.then<Reservation | Failure>(orCounted) : orCounted(holding);
  }

  /**
   * Whether the request can cause a charge. This includes accounts without a limit: their charge, too, is written
   * before the last byte of the answer is sent.
   */
  private mayCharge(request: BillableRequest): boolean {
    return dependsOnSize(request) || (request.mayUseOwn && this.ports.settings.privateChannelFeeNanoUsd > 0n);
  }

  private unlessAway(error: unknown, { requestId }: BillableRequest): Failure {
    if (!(error instanceof LedgerAway)) throw error;
    this.ports.logger.error({ requestId, error: error.message }, 'nothing could be put aside for a request');
    return storageUnavailable();
  }

  /** Reserves only the fee for a private channel: the cost does not depend on the size of the request. */
  private reserveFee(
    request: BillableRequest,
    key: Wallet | null,
  ): Reservation | Failure | Promise<Reservation | Failure> {
    const amountNanoUsd = request.mayUseOwn ? this.ports.settings.privateChannelFeeNanoUsd : 0n;
    const amount = { size: null, amountNanoUsd };
    const holding = this.hold(request, key, amount, 'enough');
    const orRefused = (found: Holding): Reservation | Promise<Failure> =>
      typeof found === 'string' ? this.refused(request, found, amount) : found;
    return holding instanceof Promise ? holding.then<Reservation | Failure>(orRefused) : orRefused(holding);
  }

  private async reserveCounted(
    request: BillableRequest,
    key: Wallet | null,
    most: Sized,
  ): Promise<Reservation | Failure> {
    const counted = await request.bounds.counted(this.ports.settings.assumedOutputTokens);
    const likely = counted === null ? most : this.sized(request, counted);
    const amount = likely.amountNanoUsd < most.amountNanoUsd ? likely : most;
    const found = await this.hold(request, key, amount, 'enough');
    return typeof found === 'string' ? this.refused(request, found, amount) : found;
  }

  private sized(request: BillableRequest, size: LargestRequest): Sized {
    const { clock, settings } = this.ports;
    return { size, amountNanoUsd: amountToHold(request, size, settings.privateChannelFeeNanoUsd, clock.nowMs()) };
  }

  /** Reserves from the balance, then from the key's limit; both or neither. */
  private hold(request: BillableRequest, key: Wallet | null, amount: Sized, needs: Needs): Holding | Promise<Holding> {
    const { account: payer } = request.principal;
    const account = payer.billing === 'prepaid' ? this.wallets.account(payer.id) : null;
    const fromAccount = account?.reserve(amount.amountNanoUsd, this.ports.clock.monotonicMs(), needs) ?? true;
    const holdKey = (isHeld: boolean) =>
      isHeld ? this.holdKey(request, held(account, amount.amountNanoUsd), key, amount, needs) : 'balance';
    return fromAccount instanceof Promise ? fromAccount.then(holdKey) : holdKey(fromAccount);
  }

  private holdKey(
    request: BillableRequest,
    account: Held | null,
    key: Wallet | null,
    amount: Sized,
    needs: Needs,
  ): Holding | Promise<Holding> {
    const fromKey = key?.reserve(amount.amountNanoUsd, this.ports.clock.monotonicMs(), needs) ?? true;
    const reserved = (isHeld: boolean): Holding => {
      if (isHeld)
        return new RequestReservation(this.ports, request, amount.size, account, held(key, amount.amountNanoUsd));
      putBack(account, this.ports.clock.monotonicMs());
      return 'limit';
    };
    if (!(fromKey instanceof Promise)) return reserved(fromKey);
    return fromKey.then(reserved, (error) => {
      putBack(account, this.ports.clock.monotonicMs());
      throw error;
    });
  }

  private refused({ principal }: BillableRequest, shortage: Shortage, { amountNanoUsd }: Sized): Promise<Failure> {
    return shortage === 'limit'
      ? Promise.resolve(quotaExceeded(amountNanoUsd))
      : insufficientBalance(this.ports.ledger, principal.account.id, amountNanoUsd);
  }
}
