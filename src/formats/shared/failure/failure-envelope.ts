import type { ErrorCode } from '../../../domain/failure/error-codes.ts';
import type { Failure } from '../../../domain/failure/failure.ts';
import { usdNumber } from '../../../domain/money/amount-numbers.ts';
import type { RenderedFailure } from '../../wire.ts';

/*
 * Shared parts of the formats' error envelopes: the contract's extra members ("Envelope"), for which every format's own envelope
 * has room.
 */

/** Renders a failure as a whole response; `body` is the format's envelope as JSON text. */
export function renderFailure(failure: Failure, body: string, contentType = 'application/json'): RenderedFailure {
  const seconds = failure.retryAfterSeconds;
  return {
    status: failure.status,
    headers: {
      'content-type': contentType,
      ...(seconds === undefined ? {} : { 'retry-after': String(seconds) }),
    },
    body,
  };
}

/**
 * Returns the members of an `error` object, as OpenAI defines it and Anthropic permits it. `JSON.stringify` leaves out
 * `undefined`, so optional members of the contract appear only if they have a value.
 */
export function errorMembers(failure: Failure, type = failure.type) {
  const { message, param, publicCode, didYouMean, suggestions, hint, alternatives } = failure.details;
  const { balanceNanoUsd, estimatedCostNanoUsd, upstreamDetails } = failure.details;
  return {
    ...upstreamDetails,
    message,
    type,
    code: publicCode ?? failure.code,
    param: param ?? null,
    did_you_mean: didYouMean,
    suggestions: suggestions?.length ? suggestions.map((id) => ({ id })) : undefined,
    hint,
    retryable: isRetryable(failure) ? true : undefined,
    retry_after: failure.retryAfterSeconds,
    balance_usd: balanceNanoUsd === undefined ? undefined : usdNumber(balanceNanoUsd),
    estimated_cost_usd: estimatedCostNanoUsd === undefined ? undefined : usdNumber(estimatedCostNanoUsd),
    resets_at: failure.resetsAt,
    alternatives,
  };
}

const RETRYABLE: ReadonlySet<ErrorCode> = new Set([
  'shutting_down',
  'rate_limit_exceeded',
  'limits_unavailable',
  'guard_unavailable',
  'storage_unavailable',
  'all_channels_failed',
  'timeout_error',
]);

/** Returns whether the client may retry the same request; not whether the gateway itself should. */
export function isRetryable({ code, retry }: Failure): boolean {
  if (code === 'upstream_error') return retry !== 'never';
  return RETRYABLE.has(code);
}
