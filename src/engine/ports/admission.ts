import type { LimitReport } from '../../domain/access/limit-report.ts';
import type { Principal } from '../../domain/access/principal.ts';
import type { Failure } from '../../domain/failure/failure.ts';
import type { Billable } from '../../domain/money/quantity.ts';

/** What the limits say to one request. */
export interface Admission {
  /** For `x-ratelimit-limit|remaining|reset` on every answer; `null` where nothing could be counted. */
  readonly headers: Readonly<Record<string, string>> | null;
  /** The same in numbers, for the headers of a format of its own; `null` where nothing could be counted. */
  readonly limits: LimitReport | null;
  /**
   * Why the request may not go on: 429 `rate_limit_exceeded`, or 503 `limits_unavailable` where the counters are away and the
   * setting wants that. `null` where it may.
   */
  readonly refusal: Failure | null;
  /**
   * Call it when the request is over, with its usage if that is known: counts the tokens, and frees its place among concurrent
   * requests. Only the first call counts.
   */
  end(billable: Billable | null): void;
}

/** Requests and tokens per minute and requests at one time, of accounts and keys (contract, Limits). */
export interface RequestLimits {
  /** Counts the request, or says why it may not go on; at once where the counters are in this process. */
  admit(principal: Principal): Admission | Promise<Admission>;
}
