import type { Failure } from '../../domain/failure/failure.ts';
import type { RenderedFailure } from '../format.ts';

/* OpenAI's error envelope: the contract's "Envelope (OpenAI-compatible endpoints)". */

export function encodeFailure(failure: Failure): RenderedFailure {
  const seconds = failure.retryAfterSeconds;
  return {
    status: failure.status,
    headers: {
      'content-type': 'application/json',
      ...(seconds === undefined ? {} : { 'retry-after': String(seconds) }),
    },
    body: envelope(failure),
  };
}

export function encodeStreamFailure(failure: Failure): string {
  return `data: ${envelope(failure)}\n\n`;
}

/** `JSON.stringify` leaves out what is not set, so an optional field of the contract is there only where it says something. */
function envelope(failure: Failure): string {
  const { message, param, publicCode, didYouMean, suggestions, hint, alternatives } = failure.details;
  return JSON.stringify({
    error: {
      message,
      type: failure.type,
      code: publicCode ?? failure.code,
      param: param ?? null,
      did_you_mean: didYouMean,
      suggestions: suggestions?.length ? suggestions.map((id) => ({ id })) : undefined,
      hint,
      retryable: isRetryable(failure) ? true : undefined,
      retry_after: failure.retryAfterSeconds,
      alternatives,
    },
  });
}

/** Whether the client may send the same request again and hope; not whether the gateway itself should. */
function isRetryable({ code, retry }: Failure): boolean {
  if (code === 'upstream_error') return retry !== 'never';
  return code === 'rate_limit_exceeded' || code === 'all_channels_failed' || code === 'timeout_error';
}
