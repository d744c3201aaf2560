import { Failure } from '../../../domain/failure/failure.ts';
import type { AnswerHeaders } from '../../../domain/http/answer-headers.ts';
import { formatNanoUsd } from '../../../domain/money/nano-usd.ts';
import { isRetryable, renderFailure } from '../../shared/failure/failure-envelope.ts';
import { decodeFailure as decodeAnyFailure } from '../../shared/failure/upstream-failure.ts';
import { parseJsonBytes } from '../../shared/json/json-text.ts';
import { isRecord } from '../../shared/json/record.ts';
import type { RenderedFailure } from '../../wire.ts';
import type { ParsedRequest } from '../client-request.ts';
import type { FailurePlace } from '../format.ts';
import type { WireObject } from './decoding.ts';

/*
 * Google's error envelope: `google.rpc.Status` under `error`, with the status name (google.aip.dev/193). The additional
 * members of the contract's envelope are in the standard details: ErrorInfo, BadRequest and RetryInfo.
 */

const DOMAIN = 'switchyard';

/** Status names by HTTP status, as google/rpc/code.proto maps them; 402 has no code of its own there. */
const STATUS_NAMES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  402: 'FAILED_PRECONDITION',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  405: 'UNIMPLEMENTED',
  408: 'DEADLINE_EXCEEDED',
  409: 'ABORTED',
  413: 'INVALID_ARGUMENT',
  422: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  500: 'INTERNAL',
  501: 'UNIMPLEMENTED',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

export function encodeFailure(failure: Failure): RenderedFailure {
  return renderFailure(failure, envelope(failure), 'application/json; charset=UTF-8');
}

/**
 * Returns the frame that ends a failed stream. `@google/genai` raises an event whose data has `error.code`. In the array framing
 * the array has been opened by the first chunk, so the error is its last element and the text stays valid JSON.
 */
export function encodeStreamFailure(failure: Failure, request: ParsedRequest | null, place: FailurePlace = {}): string {
  if (request?.call.framing === 'json-array') return `${place.isFirst ? '[' : '\r\n,\r\n'}${envelope(failure)}]`;
  return `data: ${envelope(failure)}\r\n\r\n`;
}

function envelope(failure: Failure): string {
  const { status, message } = failure;
  const name = STATUS_NAMES[status] ?? (status < 500 ? 'INVALID_ARGUMENT' : 'INTERNAL');
  return JSON.stringify({ error: { code: status, message, status: name, details: detailsOf(failure) } });
}

function detailsOf(failure: Failure): readonly unknown[] {
  const { message, param, publicCode } = failure.details;
  const seconds = failure.retryAfterSeconds;
  const details: unknown[] = [
    {
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      // A reason is written in capitals. The contract's original code is in the metadata.
      reason: failure.code.toUpperCase(),
      domain: DOMAIN,
      metadata: metadataOf(failure, publicCode ?? failure.code),
    },
  ];
  if (param !== undefined) {
    details.push({
      '@type': 'type.googleapis.com/google.rpc.BadRequest',
      fieldViolations: [{ field: param, description: message }],
    });
  }
  if (seconds !== undefined) {
    details.push({ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${seconds}s` });
  }
  return details;
}

/** Returns the contract's additional members under their own names. The metadata of an ErrorInfo maps strings to strings. */
function metadataOf(failure: Failure, code: string): Readonly<Record<string, string>> {
  const { param, didYouMean, suggestions, hint, alternatives } = failure.details;
  const { balanceNanoUsd, estimatedCostNanoUsd, upstreamDetails = {} } = failure.details;
  const seconds = failure.retryAfterSeconds;
  const asText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  return {
    ...Object.fromEntries(Object.entries(upstreamDetails).map(([name, value]) => [name, asText(value)])),
    type: failure.type,
    code,
    ...(param === undefined ? {} : { param }),
    ...(didYouMean === undefined ? {} : { did_you_mean: didYouMean }),
    ...(suggestions?.length ? { suggestions: JSON.stringify(suggestions.map((id) => ({ id }))) } : {}),
    ...(hint === undefined ? {} : { hint }),
    ...(isRetryable(failure) ? { retryable: 'true' } : {}),
    ...(seconds === undefined ? {} : { retry_after: String(seconds) }),
    ...(balanceNanoUsd === undefined ? {} : { balance_usd: formatNanoUsd(balanceNanoUsd) }),
    ...(estimatedCostNanoUsd === undefined ? {} : { estimated_cost_usd: formatNanoUsd(estimatedCostNanoUsd) }),
    ...(failure.resetsAt === undefined ? {} : { resets_at: failure.resetsAt }),
    ...(alternatives === undefined ? {} : { alternatives: JSON.stringify(alternatives) }),
  };
}

// ---- from an upstream

/** Decodes Google's errors, which state the retry delay and the wrong field in their details, not in a header. */
export function decodeFailure(status: number, headers: AnswerHeaders, bytes: Uint8Array): Failure {
  const details = errorDetails(bytes);
  const failure = decodeAnyFailure(status, withRetryDelay(headers, details), bytes);
  const field = firstViolation(details);
  if (failure.code !== 'invalid_request' || failure.details.param !== undefined || field === null) return failure;
  return new Failure(failure.code, { ...failure.details, param: field });
}

function errorDetails(bytes: Uint8Array): readonly WireObject[] {
  const body = parseJsonBytes(bytes);
  const top: unknown = Array.isArray(body) ? body[0] : body;
  const error = isRecord(top) ? top.error : null;
  const details = isRecord(error) ? error.details : null;
  return Array.isArray(details) ? details.filter(isRecord) : [];
}

function withRetryDelay(headers: AnswerHeaders, details: readonly WireObject[]): AnswerHeaders {
  const delay = details.map(({ retryDelay }) => retryDelay).find((value) => typeof value === 'string');
  const seconds = typeof delay === 'string' ? /^(\d+(?:\.\d+)?)s$/.exec(delay)?.[1] : undefined;
  if (seconds === undefined || headers.get('retry-after') !== null) return headers;
  return { get: (name) => (name === 'retry-after' ? seconds : headers.get(name)) };
}

function firstViolation(details: readonly WireObject[]): string | null {
  for (const { fieldViolations } of details) {
    const first: unknown = Array.isArray(fieldViolations) ? fieldViolations[0] : null;
    if (isRecord(first) && typeof first.field === 'string' && /^[\w.[\]]{1,200}$/.test(first.field)) return first.field;
  }
  return null;
}
