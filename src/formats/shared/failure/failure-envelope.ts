import type { ErrorCode } from '../../../domain/failure/error-codes.ts';
import type { Failure } from '../../../domain/failure/failure.ts';
import { formatNanoUsd } from '../../../domain/money/nano-usd.ts';
import type { RenderedFailure } from '../../wire.ts';

/*
 * What the error envelopes of the formats have in common: the contract's extra members ("Envelope"), which every format's
 * own envelope has a place for.
 */

/** A failure as an answer of its own; `body` is the format's envelope as JSON text. */
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
 * The members of an `error` object, as OpenAI has it and Anthropic lets it be. `JSON.stringify` leaves out what is
 * `undefined`, so an optional member of the contract is there only where it says something.
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
    balance_usd: usdNumber(balanceNanoUsd),
    estimated_cost_usd: usdNumber(estimatedCostNanoUsd),
    resets_at: failure.resetsAt,
    alternatives,
  };
}

declare global {
  interface JSON {
    /** ECMAScript's "JSON.parse source text access"; TypeScript's own declarations do not have it yet. */
    rawJSON(text: string): unknown;
  }
}

/** The contract has amounts in an error as numbers. So they are in the JSON text, with all their digits; no float is made of them. */
function usdNumber(amountNanoUsd: bigint | undefined): unknown {
  return amountNanoUsd === undefined ? undefined : JSON.rawJSON(formatNanoUsd(amountNanoUsd));
}

const RETRYABLE: ReadonlySet<ErrorCode> = new Set([
  'shutting_down',
  'rate_limit_exceeded',
  'limits_unavailable',
  'storage_unavailable',
  'all_channels_failed',
  'timeout_error',
]);

/** Whether the client may send the same request again and hope; not whether the gateway itself should. */
export function isRetryable({ code, retry }: Failure): boolean {
  if (code === 'upstream_error') return retry !== 'never';
  return RETRYABLE.has(code);
}
