import type { Failure } from '../../../domain/failure/failure.ts';
import { errorMembers, renderFailure } from '../../shared/failure/failure-envelope.ts';
import { entryOf, isRecord } from '../../shared/json/record.ts';
import type { RenderedFailure } from '../../wire.ts';
import type { ParsedRequest } from '../client-request.ts';
import type { FailurePlace } from '../format.ts';

/*
 * Anthropic's error envelope, `{"type":"error","error":{"type","message"}}` ("Errors", HTTP errors and error shapes). The
 * contract's additional members (code, param, hint …) are further members of `error`; the SDKs keep them without an error.
 */

/** Anthropic's own error types by status. Clients of this format branch on these types and not on codes. */
const TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  405: 'invalid_request_error',
  // The service itself sends `request_too_large`, but no published list of types has it. The contract requires this type.
  413: 'invalid_request_error',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

/** Anthropic's own status for an overload. Its clients wait longer after it than after a 502. */
const OVERLOADED = 529;

export function encodeFailure(failure: Failure, requestId?: string): RenderedFailure {
  return { ...renderFailure(failure, envelope(failure, requestId)), status: statusOf(failure) };
}

function statusOf({ kind, status }: Failure): number {
  return kind === `http_${OVERLOADED}` ? OVERLOADED : status;
}

/** Encodes the event `error`, which the SDKs raise as an API error, whatever was sent before it. */
export function encodeStreamFailure(
  failure: Failure,
  _request: ParsedRequest | null,
  { requestId }: FailurePlace = {},
): string {
  return `event: error\ndata: ${envelope(failure, requestId)}\n\n`;
}

function typeOf(failure: Failure): string {
  const status = statusOf(failure);
  // The contract's table "Types and codes" requires this type for Anthropic-compatible endpoints.
  if (failure.code === 'insufficient_balance') return 'insufficient_balance_error';
  return TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
}

function envelope(failure: Failure, requestId?: string): string {
  return JSON.stringify({
    type: 'error',
    error: errorMembers(failure, typeOf(failure)),
    // The same id as in the header `request-id`. The upstream's own id is in the request log.
    request_id: requestId ?? null,
  });
}

// ---- errors that come under a 200

/** The status that Anthropic sends with each of its error types. Used for errors that come without a status ("Errors"). */
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
  return (type === null ? undefined : entryOf(STATUSES, type)) ?? 500;
}
