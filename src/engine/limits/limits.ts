import type { Failure } from '../../domain/failure/failure.ts';
import type { CountersAway, RateCounters, Taken } from '../ports/rate-counters.ts';
import type { Principal } from '../shared/directory.ts';
import { limitHeaders } from './limit-headers.ts';
import { type PrincipalQuota, quotaOf } from './principal-quota.ts';
import { refusalOf } from './refusal.ts';

/** What the limits say to one request. */
export interface Admission {
  /** For `x-ratelimit-limit|remaining|reset` on every answer; `null` where nothing could be counted. */
  readonly headers: Readonly<Record<string, string>> | null;
  /**
   * Why the request may not go on: 429 `rate_limit_exceeded`, or 503 `limits_unavailable` where the counters are away and the
   * setting wants that. `null` where it may.
   */
  readonly refusal: Failure | null;
  /**
   * To be called when the request is over, with its tokens (prompt and answer) if known: frees its place among concurrent
   * ones. Calls after the first do nothing.
   */
  end(tokens: number | null): void;
}

export interface LimitsPorts {
  readonly counters: RateCounters;
}

/** Requests and tokens per minute and requests at one time, of accounts and keys (contract, Limits). */
export class Limits {
  /** A principal lives as long as its directory, so a changed limit makes a new quota. */
  private readonly quotas = new WeakMap<Principal, PrincipalQuota>();

  constructor(private readonly ports: LimitsPorts) {}

  /** Counts the request, or says why it may not go on; at once where the counters are in this process. */
  admit(principal: Principal): Admission | Promise<Admission> {
    const { counters } = this.ports;
    const quota = this.quotaOf(principal);
    const answer = counters.take(quota);
    return answer instanceof Promise
      ? answer.then((taken) => admissionOf(counters, quota, taken))
      : admissionOf(counters, quota, answer);
  }

  private quotaOf(principal: Principal): PrincipalQuota {
    let quota = this.quotas.get(principal);
    if (!quota) {
      quota = quotaOf(principal);
      this.quotas.set(principal, quota);
    }
    return quota;
  }
}

function admissionOf(counters: RateCounters, quota: PrincipalQuota, answer: Taken | CountersAway): Admission {
  if ('decisions' in answer && answer.isAdmitted) return new Admitted(counters, quota, answer);
  const refusal = refusalOf(quota, answer);
  const headers = 'decisions' in answer ? limitHeaders(quota, answer.decisions) : null;
  return { headers, refusal, end: nothing };
}

function nothing(): void {}

class Admitted implements Admission {
  readonly refusal = null;
  readonly headers: Readonly<Record<string, string>>;
  private hasEnded = false;

  constructor(
    private readonly counters: RateCounters,
    private readonly quota: PrincipalQuota,
    private readonly taken: Taken,
  ) {
    this.headers = limitHeaders(quota, taken.decisions);
  }

  end(tokens: number | null): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    const { counters, quota, taken } = this;
    if (quota.tokens !== null && tokens !== null && tokens > 0) counters.add(quota.tokens, tokens);
    if (quota.places !== null && taken.place !== null) counters.leave(quota.places, taken.place);
  }
}
