import type { LimitReport } from '../../domain/access/limit-report.ts';
import type { RateDecision } from '../ports/rate-counters.ts';
import type { PrincipalQuota } from './principal-quota.ts';

/** Numbers below this have a cached string, which saves an allocation per request. */
const KEPT_NUMERALS = 1_024;
const NUMERALS = Array.from({ length: KEPT_NUMERALS }, (_, value) => String(value));

/**
 * Returns headers that describe the limit that refuses the request, else the request limit with the fewest requests left.
 * `x-ratelimit-reset` is in whole seconds, rounded up.
 */
export function limitHeaders(
  { owners }: PrincipalQuota,
  decisions: readonly RateDecision[],
): Readonly<Record<string, string>> {
  let told = decisions[0];
  for (let index = 1; told !== undefined && index < decisions.length; index++) {
    const decision = decisions[index];
    if (decision !== undefined && isNearer(decision, told, owners[index]?.unit === 'requests')) told = decision;
  }
  if (told === undefined) return {};
  return {
    'x-ratelimit-limit': numeral(told.limit),
    'x-ratelimit-remaining': numeral(told.remaining),
    'x-ratelimit-reset': numeral(Math.ceil(told.resetMs / 1_000)),
  };
}

export function limitReport({ owners }: PrincipalQuota, decisions: readonly RateDecision[]): LimitReport {
  let requests: RateDecision | null = null;
  let tokens: RateDecision | null = null;
  for (let index = 0; index < decisions.length; index++) {
    const decision = decisions[index];
    if (decision === undefined) continue;
    if (owners[index]?.unit === 'tokens') tokens = decision;
    else if (requests === null || decision.remaining < requests.remaining) requests = decision;
  }
  return { requests, tokens };
}

function isNearer(decision: RateDecision, told: RateDecision, isOfRequests: boolean): boolean {
  if (decision.isAdmitted !== told.isAdmitted) return told.isAdmitted;
  if (!decision.isAdmitted) return decision.retryAfterMs > told.retryAfterMs;
  return isOfRequests && decision.remaining < told.remaining;
}

function numeral(value: number): string {
  return NUMERALS[value] ?? String(value);
}
