import type { LimitReport } from '../../domain/access/limit-report.ts';
import type { Principal } from '../../domain/access/principal.ts';
import { type Billable, completionTokensOf, promptTokensOf } from '../../domain/money/quantity.ts';
import type { Admission, RequestLimits } from '../ports/admission.ts';
import { type CountersAway, type RateCounters, shareOf, type Taken } from '../ports/rate-counters.ts';
import { limitHeaders, limitReport } from './limit-headers.ts';
import { type PrincipalQuota, quotaOf } from './principal-quota.ts';
import { refusalOf } from './refusal.ts';

export interface LimitsPorts {
  readonly counters: RateCounters;
}

export class Limits implements RequestLimits {
  /** A principal lives as long as its directory, so a changed limit makes a new quota. */
  private readonly quotas = new WeakMap<Principal, PrincipalQuota>();

  constructor(private readonly ports: LimitsPorts) {}

  admit(principal: Principal, sharePercent?: number): Admission | Promise<Admission> {
    const { counters } = this.ports;
    const whole = this.quotaOf(principal);
    const quota = sharePercent === undefined ? whole : { ...whole, ...shareOf(whole, sharePercent) };
    const answer = counters.take(quota);
    return answer instanceof Promise ? admissionLater(counters, quota, answer) : admissionOf(counters, quota, answer);
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

async function admissionLater(counters: RateCounters, quota: PrincipalQuota, taking: Promise<Taken | CountersAway>) {
  return admissionOf(counters, quota, await taking);
}

function admissionOf(counters: RateCounters, quota: PrincipalQuota, answer: Taken | CountersAway): Admission {
  if ('decisions' in answer && answer.isAdmitted) return new Admitted(counters, quota, answer);
  const refusal = refusalOf(quota, answer);
  const headers = 'decisions' in answer ? limitHeaders(quota, answer.decisions) : null;
  const limits = 'decisions' in answer ? limitReport(quota, answer.decisions) : null;
  return { headers, limits, refusal, end: nothing };
}

function nothing(): void {}

class Admitted implements Admission {
  readonly refusal = null;
  readonly headers: Readonly<Record<string, string>>;
  readonly limits: LimitReport;
  private hasEnded = false;

  constructor(
    private readonly counters: RateCounters,
    private readonly quota: PrincipalQuota,
    private readonly taken: Taken,
  ) {
    this.headers = limitHeaders(quota, taken.decisions);
    this.limits = limitReport(quota, taken.decisions);
  }

  end(billable: Billable | null): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    const { counters, quota, taken } = this;
    if (quota.tokens !== null && billable !== null) {
      const tokens = promptTokensOf(billable) + completionTokensOf(billable);
      if (tokens > 0) counters.add(quota.tokens, tokens);
    }
    if (quota.places !== null && taken.place !== null) counters.leave(quota.places, taken.place);
  }
}
