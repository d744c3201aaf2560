import type { Principal } from '../../domain/access/principal.ts';
import type { Failure } from '../../domain/failure/failure.ts';
import type { AppliedPrices } from '../../domain/money/applied-prices.ts';
import type { PriceSheet } from '../../domain/money/price-sheet.ts';
import type { Billable } from '../../domain/money/quantity.ts';
import type { Surcharge } from '../../domain/money/surcharge.ts';
import type { LargestRequest } from '../../domain/money/tariff.ts';

/** What the reservation for a request depends on. */
export interface BillableRequest {
  readonly requestId: string;
  readonly principal: Principal;
  readonly modelId: string;
  /** `null` where no price is known. */
  readonly prices: PriceSheet | null;
  /** Whether a platform's channel may answer it, and not only the account's own. */
  readonly mayUsePlatform: boolean;
  /** Whether a channel of the account's own may answer it. */
  readonly mayUseOwn: boolean;
  readonly bounds: RequestBounds;
  /** By which its charge is summed, as `ChargeUsage` has them; absent for none. */
  readonly tags?: readonly string[];
}

/** What an image tool may draw with. */
export interface Drawing {
  /** The prices of the models of which one draws. Answers do not say which, so the most expensive is charged. */
  readonly sheets: readonly PriceSheet[];
  /** The most that it is expected to draw. */
  readonly most: LargestRequest;
  /** The most that an upstream may report. */
  readonly plausible: LargestRequest;
}

/** What one target bills for a request beyond its tokens at the model's prices. */
export interface Extras extends Surcharge {
  /** The part of `tokenFactor` that comes from the requested service tier. */
  readonly askedTierFactor: bigint;
  /** Other models that may answer. Answers do not always say which one did, so the most expensive of all is charged. */
  readonly others: readonly PriceSheet[];
  /** `null` if the request has no image tool. */
  readonly drawing: Drawing | null;
  /** Something in it has no known price: what the request costs cannot be said. */
  readonly isUnknown: boolean;
}

/** Bounds for the size of a request and its answer. Each is computed only when a cost depends on it. */
export interface RequestBounds {
  /** The largest that an upstream can make of it, whatever its tokenizer. */
  certain(): LargestRequest;
  /** The largest that it is likely to become, its text counted; without a bound of its own it writes `assumedOutputTokens`. `null` where there is no time for that now. */
  counted(assumedOutputTokens: number): Promise<LargestRequest | null>;
  /** Whether an upstream may report this; up to `toolCalls` of the provider's own tools may add to the prompt. */
  isPlausible(billable: Billable, toolCalls: number): boolean;
  /** The largest size that an upstream may report. */
  plausible(toolCalls: number): LargestRequest;
}

/** The channel that has answered. */
export interface AnsweredBy {
  readonly channelId: string;
  readonly isPrivate: boolean;
  /**
   * The factor of the service tier that the answer names, in millionths of the token price; `null` if it names none with a price.
   */
  readonly tierFactor: bigint | null;
  /** The part of the cost that is charged, where an answer comes from the cache. */
  readonly percent?: number;
  /** The HTTP status that the client gets, as far as it is known; 200 by default. */
  readonly status?: number;
}

/** What was reserved for one request. One of its methods is called, once. */
export interface Reservation {
  /** Whether the cost depends on the usage. */
  readonly dependsOnUsage: boolean;
  /**
   * Sets what the next target bills extra, until another target is asked: `null` for nothing. If money is limited, more is
   * reserved; if there is not enough (402), the target must not be asked.
   */
  withExtras(extras: Extras | null): null | Failure | Promise<null | Failure>;
  /**
   * Charges the cost of the request, and releases the rest. Resolves when the charge is durable, to the amount; to `null` if the
   * price is not known. Does not wait if there is nothing to charge. Usage beyond what is plausible for the request is not
   * charged but held for an operator.
   */
  settle(billable: Billable, answeredBy: AnsweredBy): bigint | null | Promise<bigint | null>;
  /** At which prices `settle` has charged; `null` before it, and where no price is known. */
  readonly applied: AppliedPrices | null;
  /** The request has cost nothing. */
  release(): void;
}

/**
 * What was put aside for a request whose answer may take longer than a process lives (docs/billing.md, Holds). Any process may
 * settle or release it, any number of times: the first one counts.
 */
export interface DurableReservation {
  /** The request's id. To be kept with what it is for. */
  readonly id: string;
  /**
   * Charges what the request has come to, at the prices that were in force when it was put aside, and frees the rest. What is
   * beyond what is plausible of the request is held for an operator. Resolves when the charge is durable, to the amount; to
   * `null` where no price was known, and then nothing stays put aside.
   */
  settle(billable: Billable, answeredBy: Pick<AnsweredBy, 'channelId' | 'isPrivate'>): Promise<bigint | null>;
  /** At which prices `settle` has charged; `null` before it, and where no price is known. */
  readonly applied: AppliedPrices | null;
  /** The request has cost nothing. Resolves when that is durable. */
  release(): Promise<void>;
}

/** Money that outlives processes. A target that bills more than the model's prices (`Extras`) cannot be used with it. */
export interface DurableBilling {
  /**
   * Puts aside durably what the request may cost; or says that there is not enough (402), or that it cannot be written now
   * (503). To be called before the upstream is asked. After `expiresAtMs` (since 1970) it is overdue, and stays put aside.
   */
  hold(request: BillableRequest, expiresAtMs: number): Promise<DurableReservation | Failure>;
  /** What was put aside under this id, in whatever process; `null` where nothing was. */
  resume(id: string): Promise<DurableReservation | null>;
}

/** Money before and after a request (docs/billing.md). */
export interface Billing {
  /** Reserves what the request may cost, if money is limited; or returns the failure if there is not enough (402). */
  reserve(request: BillableRequest): Reservation | Failure | Promise<Reservation | Failure>;
}
