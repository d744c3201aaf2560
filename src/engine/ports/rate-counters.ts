/** What a counter says to one more request. */
export interface RateDecision {
  readonly isAdmitted: boolean;
  readonly limit: number;
  /** How many more would be admitted now. */
  readonly remaining: number;
  /** Until the whole limit is free again, if nothing more comes. */
  readonly resetMs: number;
  /** Where it is not admitted: after this time one of this size is, if nothing else comes. 0 where it is admitted. */
  readonly retryAfterMs: number;
}

/**
 * Sliding windows, exact: in no window of `windowMs` is more than `limit` admitted under one scope. In the memory of one
 * gateway, or shared by several.
 */
export interface RateCounters {
  /** Counts `amount` where it fits; an `amount` of 0 only asks. */
  take(scope: string, limit: number, windowMs: number, amount: number): RateDecision | Promise<RateDecision>;
  /** Counts it whether it fits or not: what is known only afterwards, such as tokens. */
  add(scope: string, windowMs: number, amount: number): void;
}
