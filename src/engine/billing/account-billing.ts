import type { Usage } from '../../domain/exchange/usage.ts';
import { Failure } from '../../domain/failure/failure.ts';
import type { BillableRequest, Billing, Reservation } from '../ports/billing.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { Logger } from '../ports/logger.ts';
import type { BillingSettings } from '../shared/billing-settings.ts';
import type { Cover, Wallet } from './wallet.ts';
import { Wallets } from './wallets.ts';

export interface BillingPorts {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly settings: BillingSettings;
}

/** What is put aside of one wallet, as of one epoch of its leases. */
interface Held {
  readonly wallet: Wallet;
  readonly amountNanoUsd: bigint;
  readonly epoch: number;
}

/**
 * Reserve, then settle or release (design, section 5). Money is put aside for accounts that pay in advance and for keys with
 * a limit; for the others nothing is, and what a request has cost is recorded.
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
    const key = this.wallets.key(credential);
    if (!isPrepaid && key === null) return new RequestReservation(this.ports, request, null, null);
    const bound = this.bound(request);
    return bound instanceof Promise
      ? bound.then((amount) => this.hold(request, isPrepaid, key, amount))
      : this.hold(request, isPrepaid, key, bound);
  }

  /** The most that the request may cost, whoever answers it. */
  private bound(request: BillableRequest): bigint | Promise<bigint> {
    const { prices, mayUsePlatform, mayUseOwn, promptTokens, output } = request;
    const { clock, settings } = this.ports;
    const fee = mayUseOwn ? settings.privateChannelFeeNanoUsd : 0n;
    if (prices === null || prices.isFree || !mayUsePlatform) return fee;
    const { tokens, choices } = output();
    const outputTokens = tokens ?? settings.assumedOutputTokens * choices;
    const atMs = clock.nowMs();
    const priced = (inputTokens: number) => {
      const cost = prices.boundNanoUsd({ inputTokens, outputTokens }, atMs);
      return cost > fee ? cost : fee;
    };
    const prompt = promptTokens();
    return prompt instanceof Promise ? prompt.then(priced) : priced(prompt);
  }

  /** First of the balance, then of the key's limit; both or none. */
  private hold(
    request: BillableRequest,
    isPrepaid: boolean,
    key: Wallet | null,
    amount: bigint,
  ): Reservation | Failure | Promise<Reservation | Failure> {
    const account = isPrepaid ? this.wallets.account(request.principal.account.id) : null;
    const fromAccount = account?.reserve(amount, this.ports.clock.monotonicMs()) ?? true;
    const holdKey = (isHeld: boolean) =>
      isHeld ? this.holdKey(request, held(account, amount), key, amount) : this.insufficient(request, amount);
    return fromAccount instanceof Promise ? fromAccount.then(holdKey) : holdKey(fromAccount);
  }

  private holdKey(
    request: BillableRequest,
    account: Held | null,
    key: Wallet | null,
    amount: bigint,
  ): Reservation | Failure | Promise<Reservation | Failure> {
    const fromKey = key?.reserve(amount, this.ports.clock.monotonicMs()) ?? true;
    const reserved = (isHeld: boolean) => {
      if (isHeld) return new RequestReservation(this.ports, request, account, held(key, amount));
      putBack(account, this.ports.clock.monotonicMs());
      return quotaExceeded(amount);
    };
    if (!(fromKey instanceof Promise)) return reserved(fromKey);
    return fromKey.then(reserved, (error) => {
      putBack(account, this.ports.clock.monotonicMs());
      throw error;
    });
  }

  private async insufficient({ principal }: BillableRequest, estimatedCostNanoUsd: bigint): Promise<Failure> {
    const { balanceNanoUsd } = await this.ports.ledger.balance(principal.account.id);
    return new Failure('insufficient_balance', {
      message: "The account's balance does not cover what this request may cost.",
      hint: 'Add credit to the account, or send a shorter request with a lower bound on its output.',
      balanceNanoUsd,
      estimatedCostNanoUsd,
    });
  }
}

class RequestReservation implements Reservation {
  /** Prices that change in the middle of a request hold from the next one on. */
  private readonly pricedAtMs: number;

  constructor(
    private readonly ports: BillingPorts,
    private readonly request: BillableRequest,
    private readonly account: Held | null,
    private readonly key: Held | null,
  ) {
    this.pricedAtMs = ports.clock.nowMs();
  }

  get dependsOnUsage(): boolean {
    const { prices } = this.request;
    return prices !== null && !prices.isFree;
  }

  settle(usage: Usage, isPrivateChannel: boolean): bigint | null | Promise<bigint | null> {
    const { prices } = this.request;
    if (isPrivateChannel) return this.charge(this.ports.settings.privateChannelFeeNanoUsd);
    if (prices !== null) return this.charge(prices.costNanoUsd(usage, this.pricedAtMs));
    this.release();
    return null;
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
   * Whoever pays in advance, or with a key that has a limit, pays no more than there is: what a request has come to beyond its
   * reservation and the rest of the purse is written off.
   */
  private async write(cost: bigint, ofAccount: Cover | null, ofKey: Cover | null): Promise<bigint> {
    // Leases that were lost while others were asked for cover nothing any more.
    const fromAccount = isLost(this.account, ofAccount) ? await this.cover(this.account, cost, 0n) : ofAccount;
    const fromKey = isLost(this.key, ofKey) ? await this.cover(this.key, cost, 0n) : ofKey;
    const costNanoUsd = smallest(cost, fromAccount, fromKey);
    if (costNanoUsd < cost) this.writeOff(cost - costNanoUsd);
    const back = (cover: Cover) => ({ ...cover, amountNanoUsd: cover.amountNanoUsd - costNanoUsd });
    if (fromAccount) this.account?.wallet.putBack(back(fromAccount));
    if (fromKey) this.key?.wallet.putBack(back(fromKey));
    if (costNanoUsd === 0n) return 0n;
    const { account, credential } = this.request.principal;
    await this.ports.ledger.charge({
      requestId: this.request.requestId,
      accountId: account.id,
      keyId: credential.id,
      costNanoUsd,
      fromAccountLease: fromAccount === null ? 0n : costNanoUsd,
      fromKeyLease: fromKey === null ? 0n : costNanoUsd,
      atMs: this.ports.clock.nowMs(),
    });
    return costNanoUsd;
  }

  private writeOff(amountNanoUsd: bigint): void {
    const { requestId, principal } = this.request;
    const fields = { requestId, accountId: principal.account.id, writtenOffNanoUsd: amountNanoUsd.toString() };
    this.ports.logger.warn(fields, 'a request came to more than there was to pay it');
  }
}

function held(wallet: Wallet | null, amountNanoUsd: bigint): Held | null {
  return wallet === null ? null : { wallet, amountNanoUsd, epoch: wallet.epoch };
}

function putBack(held: Held | null, nowMs: number): void {
  held?.wallet.settle(held.amountNanoUsd, 0n, held.epoch, nowMs);
}

function isLost(held: Held | null, cover: Cover | null): boolean {
  return held !== null && cover?.epoch !== held.wallet.epoch;
}

function smallest(cost: bigint, ...covers: readonly (Cover | null)[]): bigint {
  return covers.reduce((least, cover) => (cover && cover.amountNanoUsd < least ? cover.amountNanoUsd : least), cost);
}

function quotaExceeded(estimatedCostNanoUsd: bigint): Failure {
  return new Failure('quota_exceeded', {
    message: "What is left of this API key's limit does not cover what this request may cost.",
    hint: 'Raise the limit of the key, use another key, or send a request with a lower bound on its output.',
    estimatedCostNanoUsd,
  });
}

function withoutPrice(modelId: string): Failure {
  return new Failure('model_not_allowed', {
    message: `The model \`${modelId}\` has no price, so an account that pays in advance cannot use it.`,
    param: 'model',
    kind: 'model_without_price',
    hint: 'The operator can give it one: `pricing` of the model in the configuration.',
  });
}
