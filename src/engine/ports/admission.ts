import type { LimitReport } from '../../domain/access/limit-report.ts';
import type { Principal } from '../../domain/access/principal.ts';
import type { Failure } from '../../domain/failure/failure.ts';
import type { Billable } from '../../domain/money/quantity.ts';

/** The outcome of the rate and concurrency limits for one request. */
export interface Admission {
  /** The headers `x-ratelimit-limit|remaining|reset` of every response; `null` if nothing could be counted. */
  readonly headers: Readonly<Record<string, string>> | null;
  /** The same as numbers, for formats with their own headers; `null` if nothing could be counted. */
  readonly limits: LimitReport | null;
  /**
   * Why the request is refused: 429 `rate_limit_exceeded`, or 503 `limits_unavailable` if the counters are unavailable and the setting
   * requires them. `null` if it is admitted.
   */
  readonly refusal: Failure | null;
  /**
   * Counts the tokens, if the usage is known, and frees the concurrency slot. Must be called when the request ends; calls after the first
   * have no effect.
   */
  end(billable: Billable | null): void;
}

/** Limits on requests per minute, tokens per minute and concurrent requests, by account and key (contract, Limits). */
export interface RequestLimits {
  /**
   * Counts the request or returns a refusal. Synchronous if the counters are in this process.
   *
   * @param sharePercent the percentage of each limit up to which the request is admitted; all of it if absent
   */
  admit(principal: Principal, sharePercent?: number): Admission | Promise<Admission>;
}
