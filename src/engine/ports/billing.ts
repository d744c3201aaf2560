import type { Principal } from '../../domain/access/principal.ts';
import type { Failure } from '../../domain/failure/failure.ts';
import type { AppliedPrices } from '../../domain/money/applied-prices.ts';
import type { PriceSheet } from '../../domain/money/price-sheet.ts';
import type { Billable } from '../../domain/money/quantity.ts';
import type { Surcharge } from '../../domain/money/surcharge.ts';
import type { LargestRequest } from '../../domain/money/tariff.ts';
import type { Charge } from './ledger.ts';

/** The facts that determine a request's reservation. */
export interface BillableRequest {
  readonly requestId: string;
  readonly principal: Principal;
  readonly modelId: string;
  /** `null` if no price is known. */
  readonly prices: PriceSheet | null;
  /** Whether a PLATFORM channel may serve it, and not only the account's own channels. */
  readonly mayUsePlatform: boolean;
  /** Whether one of the account's own channels may serve it. */
  readonly mayUseOwn: boolean;
  readonly bounds: RequestBounds;
  /** The tags under which the charge is aggregated, as in `ChargeUsage`; absent for none. */
  readonly tags?: readonly string[];
  /** Hears of the charge before it is written; absent if nobody needs to. */
  readonly journal?: ChargeJournal;
}

/** Stores what is needed to repeat a charge after a crash. */
export interface ChargeJournal {
  /** Resolves when the charge may be written. If it rejects, nothing is charged. */
  charging(charge: Charge): Promise<void>;
}

/** The image models that an image tool may use. */
export interface Drawing {
  /** The prices of the candidate models. Responses do not name the model that was used, so the most expensive one is charged. */
  readonly sheets: readonly PriceSheet[];
  /** The largest expected usage. */
  readonly most: LargestRequest;
  /** The largest usage that an upstream may report. */
  readonly plausible: LargestRequest;
}

/** Charges of one target beyond the tokens at the model's prices. */
export interface Extras extends Surcharge {
  /** The part of `tokenFactor` that comes from the requested service tier. */
  readonly askedTierFactor: bigint;
  /** Other models that may respond. Responses do not always name the model, so the most expensive of all is charged. */
  readonly others: readonly PriceSheet[];
  /** `null` if the request has no image tool. */
  readonly drawing: Drawing | null;
  /** The most requests to the target, each with the whole prompt; 1 if absent. */
  readonly rounds?: number;
  /** Whether part of the request has no known price, so that its cost is unknown. */
  readonly isUnknown: boolean;
}

/** Bounds for the size of a request and its answer. Each is computed only when a cost depends on it. */
export interface RequestBounds {
  /** Returns an upper bound for any tokenizer. */
  certain(): LargestRequest;
  /**
   * Resolves to the largest likely size, with the text counted. Output is taken to be `assumedOutputTokens` if the request does not limit
   * it. `null` if there is no capacity for counting now.
   */
  counted(assumedOutputTokens: number): Promise<LargestRequest | null>;
  /** Whether the usage is plausible. Up to `toolCalls` calls of the provider's own tools may add to the prompt. */
  isPlausible(billable: Billable, toolCalls: number): boolean;
  /** Returns the largest plausible usage. */
  plausible(toolCalls: number): LargestRequest;
}

/** The channel that responded. */
export interface AnsweredBy {
  readonly channelId: string;
  readonly isPrivate: boolean;
  /** The factor of the service tier named in the response, in millionths of the token price; `null` if it names none with a price. */
  readonly tierFactor: bigint | null;
  /** The percentage of the cost that is charged for a cached response. */
  readonly percent?: number;
  /** The HTTP status sent to the client, if known by then; 200 by default. */
  readonly status?: number;
}

/** The reservation for one request. It ends with exactly one call of `settle` or `release`. */
export interface Reservation {
  /** Whether the cost depends on the usage, or there may be a fee to charge. */
  readonly dependsOnUsage: boolean;
  /** Whether the request has a price, which may be zero. */
  readonly isPriced: boolean;
  /**
   * Sets the extra charges of the next target, until another target is set; `null` for none. If money is limited, reserves the difference.
   * Returns a failure (402) if there is not enough, and then the target must not be called.
   */
  withExtras(extras: Extras | null): null | Failure | Promise<null | Failure>;
  /**
   * Charges the cost of the request and releases the rest of the reservation. Resolves to the amount when the charge is durable, or to
   * `null` if the price is unknown. Returns synchronously if there is nothing to charge. Usage beyond the plausible maximum is not charged
   * but held for an operator.
   */
  settle(billable: Billable, answeredBy: AnsweredBy): bigint | null | Promise<bigint | null>;
  /** The prices that `settle` applied; `null` before it, and if no price is known. */
  readonly applied: AppliedPrices | null;
  /** Returns the member of `_routing` with the amount that `settle` has charged, and its parts (domain/money/cost-parts.ts). */
  costMember(chargedNanoUsd: bigint): string;
  /** Releases the whole reservation: the request cost nothing. */
  release(): void;
}

/**
 * A reservation that outlives the process, for requests whose response may take longer than that (docs/billing.md, Holds). Any process may
 * settle or release it. Both are idempotent: only the first call has an effect.
 */
export interface DurableReservation {
  /** The request's id, to be stored with the work that the reservation is for. */
  readonly id: string;
  /**
   * Charges the cost of the request at the prices in force when it was reserved, and releases the rest. Usage beyond the plausible maximum
   * is held for an operator. Resolves to the amount when the charge is durable, or to `null` if no price was known; then the whole
   * reservation is released.
   */
  settle(billable: Billable, answeredBy: Pick<AnsweredBy, 'channelId' | 'isPrivate'>): Promise<bigint | null>;
  /** The prices that `settle` applied; `null` before it, and if no price is known. */
  readonly applied: AppliedPrices | null;
  /** Releases the whole reservation: the request cost nothing. Durable when resolved. */
  release(): Promise<void>;
}

/** Durable reservations. They cannot be used with targets that charge more than the model's prices (`Extras`). */
export interface DurableBilling {
  /**
   * Durably reserves the most that the request may cost. Resolves to a failure if there is not enough money (402) or the store cannot be
   * written (503). Must be called before the upstream. A reservation is overdue after `expiresAtMs` (milliseconds since 1970) but stays in
   * force.
   */
  hold(request: BillableRequest, expiresAtMs: number): Promise<DurableReservation | Failure>;
  /** Resolves to the reservation with this id, whichever process made it; `null` if there is none. */
  resume(id: string): Promise<DurableReservation | null>;
}

/** Reserves and charges money for requests (docs/billing.md). */
export interface Billing {
  /** Reserves the most that the request may cost, if money is limited. Returns a failure if there is not enough (402). */
  reserve(request: BillableRequest): Reservation | Failure | Promise<Reservation | Failure>;
  /** Returns a reservation without money, for a request whose money is held durably (`DurableBilling`) until it is charged. */
  promised(request: BillableRequest): Reservation;
}
