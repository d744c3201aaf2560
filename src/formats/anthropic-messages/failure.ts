import { Failure } from '../../domain/failure/failure.ts';
import type { RenderedFailure } from '../format.ts';
import { isRecord } from '../shared/record.ts';

/*
 * Anthropic's error envelope, `{"type":"error","error":{"type","message"}}` ("Errors", HTTP errors and error shapes). What the
 * contract says beyond it (code, param, hint …) stands as further members of `error`, which the SDKs keep and do not mind.
 */

/** Anthropic's own types by status; clients of this format branch on these and not on codes. */
const TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  405: 'invalid_request_error',
  // The service's own word, `request_too_large`, is in no published list of types; the contract says this one.
  413: 'invalid_request_error',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

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

/** The SDKs raise the event `error` as an API error, whatever came before it. */
export function encodeStreamFailure(failure: Failure): string {
  return `event: error\ndata: ${envelope(failure)}\n\n`;
}

function typeOf({ code, status }: Failure): string {
  // The contract's table "Types and codes" names this one for Anthropic-compatible endpoints.
  if (code === 'insufficient_balance') return 'insufficient_balance_error';
  return TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
}

/** `JSON.stringify` leaves out what is not set, so an optional field of the contract is there only where it says something. */
function envelope(failure: Failure): string {
  const { message, param, publicCode, didYouMean, suggestions, hint, alternatives } = failure.details;
  return JSON.stringify({
    type: 'error',
    error: {
      type: typeOf(failure),
      message,
      code: publicCode ?? failure.code,
      param: param ?? null,
      did_you_mean: didYouMean,
      suggestions: suggestions?.length ? suggestions.map((id) => ({ id })) : undefined,
      hint,
      retryable: isRetryable(failure) ? true : undefined,
      retry_after: failure.retryAfterSeconds,
      alternatives,
    },
    // The document wants the member; the gateway's own id is in the header `x-request-id`.
    request_id: null,
  });
}

/** Whether the client may send the same request again and hope; not whether the gateway itself should. */
function isRetryable({ code, retry }: Failure): boolean {
  if (code === 'upstream_error') return retry !== 'never';
  return code === 'rate_limit_exceeded' || code === 'all_channels_failed' || code === 'timeout_error';
}

// ---- errors that come under a 200

/** The status that Anthropic sends with each of its error types, for errors that come without one ("Errors"). */
const STATUSES: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};

export function errorStatus(error: unknown): number {
  const type = isRecord(error) && typeof error.type === 'string' ? error.type : null;
  return (type === null ? undefined : STATUSES[type]) ?? 500;
}

export function notJson(): Failure {
  return new Failure('upstream_error', {
    kind: 'garbage',
    message: 'The upstream answered 200 with a body that is not JSON.',
  });
}

export function notAnAnswer(): Failure {
  return new Failure('upstream_error', {
    kind: 'garbage',
    message: 'The upstream answered 200 with a body that is no answer.',
  });
}

export function truncatedStream(): Failure {
  return new Failure('upstream_error', {
    kind: 'truncated_stream',
    message: 'The upstream ended the stream before the answer was complete.',
  });
}

export function emptyStream(): Failure {
  return new Failure('upstream_error', {
    kind: 'empty_stream',
    message: 'The upstream answered 200 with an empty stream.',
  });
}

export function eventTooLarge(): Failure {
  return new Failure('upstream_error', {
    kind: 'event_too_large',
    message: 'The upstream sent an event that is too large.',
  });
}
