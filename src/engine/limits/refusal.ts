import { Failure } from '../../domain/failure/failure.ts';
import type { CountersAway, RateDecision, Taken } from '../ports/rate-counters.ts';
import type { LimitOwner, PrincipalQuota } from './principal-quota.ts';

/** The advised retry delay, since the end of a running request is unknown. */
const PLACE_RETRY_MS = 1_000;

/** Returns the failure for a request that was not admitted. It names the limit, its owner, and when to try again. */
export function refusalOf(quota: PrincipalQuota, answer: Taken | CountersAway): Failure {
  if (!('decisions' in answer)) return unavailable(answer);
  // After the longest wait, all other limits admit the request too.
  let longest: RateDecision | null = null;
  let owner: LimitOwner | undefined;
  for (const [index, decision] of answer.decisions.entries()) {
    if (decision.isAdmitted || (longest !== null && decision.retryAfterMs <= longest.retryAfterMs)) continue;
    longest = decision;
    owner = quota.owners[index];
  }
  return longest === null || owner === undefined ? tooManyAtOnce(quota) : tooMany(quota, owner, longest);
}

function tooMany({ principal }: PrincipalQuota, owner: LimitOwner, { limit, retryAfterMs }: RateDecision): Failure {
  const { account, credential } = principal;
  const holder = owner.whose === 'key' ? `API key \`${credential.id}\`` : `account \`${account.id}\``;
  const origin = owner.role === null ? '' : ` (set by the role ${owner.role})`;
  return new Failure('rate_limit_exceeded', {
    message: `The ${holder} has reached its limit of ${limit} ${owner.unit} in any 60 seconds${origin}.`,
    kind: `${owner.whose}_${owner.unit}_per_minute`,
    side: 'client',
    retry: 'never',
    retryAfterMs,
    hint: 'Wait for retry_after seconds and send the request again; it will then be admitted. An admin can raise the limit.',
  });
}

function tooManyAtOnce({ principal, places }: PrincipalQuota): Failure {
  return new Failure('rate_limit_exceeded', {
    message: `The account \`${principal.account.id}\` has reached its limit of ${places?.limit ?? 0} requests in flight.`,
    kind: 'account_concurrent_requests',
    side: 'client',
    retry: 'never',
    retryAfterMs: PLACE_RETRY_MS,
    hint: 'Send the request again when another one has finished. An admin can raise the limit.',
  });
}

/** Returns the failure for a request that cannot be counted. */
export function unavailable({ retryAfterMs }: CountersAway): Failure {
  return new Failure('limits_unavailable', {
    message: 'The gateway cannot count requests at the moment and is configured to refuse them until it can.',
    retryAfterMs,
    hint: 'Nothing is wrong with the request. Wait for retry_after seconds and send it again.',
  });
}
