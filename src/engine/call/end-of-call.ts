import type { Loss } from '../../domain/exchange/loss.ts';
import type { RoutingFacts } from '../../domain/exchange/routing-info.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { describeError } from '../../domain/text/describe-error.ts';
import { asciiJson } from '../../domain/text/json-text.ts';
import { traceparentOf } from '../../domain/trace/trace-context.ts';
import { requestIdHeaders } from '../../formats/shared/request/request-id.ts';
import type { Envelope, RenderedFailure } from '../../formats/wire.ts';
import type { Admission } from '../ports/admission.ts';
import type { Logger } from '../ports/logger.ts';
import type { Outcome } from './outcome.ts';

/* The end of a call: the steps that are the same for every operation. */

/** Logs an error that the gateway itself threw. The client gets only the request id. */
export function internalError(logger: Logger, requestId: string, error: unknown): Failure {
  logger.error({ requestId, ...describeError(error) }, 'internal error');
  const message = `Something went wrong inside the gateway. Report it with the request id ${requestId}.`;
  return new Failure('internal_error', { message });
}

/**
 * Returns the failure that replaces the end of an answer that could not be charged. Complete answers without a charge would mean unlimited
 * free use while the store is unavailable.
 */
export function chargeFailure(): Failure {
  return new Failure('internal_error', {
    message:
      'The response is complete, but its cost could not be recorded, so its end is withheld. Send the request again later.',
    kind: 'not_charged',
  });
}

/** Records the failure of the call and returns the error response for the client. */
export function recordFailure(envelope: Envelope, outcome: Outcome, failure: Failure): RenderedFailure {
  const rendered = envelope.encodeFailure(failure, outcome.requestId);
  outcome.failed(failure, rendered.status);
  outcome.record();
  return rendered;
}

/** Returns the headers of every response: the request id, the gateway's own span if the call is traced, and the limits. */
export function toldHeaders(
  envelope: Envelope,
  { requestId, admission, atMs, trace }: Pick<Outcome, 'requestId' | 'admission' | 'atMs' | 'trace'>,
): Record<string, string> {
  const headers = requestIdHeaders(envelope, requestId);
  if (trace !== null) headers.traceparent = traceparentOf(trace.context);
  if (admission !== null) addLimitHeaders(headers, envelope, admission, atMs);
  return headers;
}

/** Returns `toldHeaders`, and the processing time in milliseconds if the client's API has a header for it. */
export function callHeaders(envelope: Envelope, outcome: Outcome): Record<string, string> {
  const headers = toldHeaders(envelope, outcome);
  if (envelope.processingHeader !== undefined) {
    headers[envelope.processingHeader] = String(Math.round(outcome.processingMs()));
  }
  return headers;
}

/**
 * Returns `callHeaders` with the routing facts and losses of an answer. A cached answer adds its cache entry and its `age` in whole seconds
 * (RFC 9111, section 5.1).
 */
export function answerHeaders(
  envelope: Envelope,
  outcome: Outcome,
  { routing, losses }: { readonly routing: RoutingFacts; readonly losses: readonly Loss[] },
): Record<string, string> {
  const headers = callHeaders(envelope, outcome);
  headers['x-routing'] = routing.json;
  const lost = lossesHeader(losses);
  if (lost !== null) headers['x-switchyard-losses'] = lost;
  const { cacheHit } = outcome;
  if (cacheHit !== null) {
    headers['x-cache-entry-id'] = cacheHit.entryId;
    headers.age = String(Math.max(0, Math.floor(cacheHit.ageMs / 1_000)));
  }
  return headers;
}

/** Proxies in front of the gateway commonly accept 8 KiB of headers in total. */
const MAX_CHARACTERS = 3_000;

/**
 * Returns the value of `x-switchyard-losses`: a JSON array of the losses of the request, or `null` for no losses. A last entry counts the
 * losses that do not fit, so that none is silently left out.
 */
export function lossesHeader(losses: readonly Loss[]): string | null {
  if (losses.length === 0) return null;
  const shown: string[] = [];
  let length = 2;
  for (const loss of losses) {
    const json = asciiJson(loss);
    if (length + json.length > MAX_CHARACTERS) break;
    shown.push(json);
    length += json.length + 1;
  }
  const hidden = losses.length - shown.length;
  if (hidden > 0) shown.push(asciiJson({ field: '…', verdict: 'dropped', why: `and ${hidden} more` }));
  return `[${shown.join(',')}]`;
}

/** Adds the rate limit headers: those of the contract, and those of the format's own API. */
export function addLimitHeaders(
  headers: Record<string, string>,
  envelope: Pick<Envelope, 'limitHeaders'>,
  { headers: own, limits }: Admission,
  nowMs: number,
): void {
  if (own !== null) Object.assign(headers, own);
  if (limits !== null) envelope.limitHeaders?.(limits, headers, nowMs);
}
