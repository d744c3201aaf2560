import type { Loss } from '../../domain/exchange/loss.ts';
import type { RoutingFacts } from '../../domain/exchange/routing-info.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { describeError } from '../../domain/text/describe-error.ts';
import { requestIdHeaders } from '../../formats/shared/request/request-id.ts';
import type { Envelope, RenderedFailure } from '../../formats/wire.ts';
import type { Logger } from '../ports/logger.ts';
import { lossesHeader } from './losses-header.ts';
import type { Outcome } from './outcome.ts';
import { addLimitHeaders } from './told-limits.ts';

/* The end of a call: the steps that are the same for every operation. */

/** Logs an error that the gateway itself threw. The client gets only the request id. */
export function internalError(logger: Logger, requestId: string, error: unknown): Failure {
  logger.error({ requestId, ...describeError(error) }, 'internal error');
  const message = `Something went wrong inside the gateway. Report it with the request id ${requestId}.`;
  return new Failure('internal_error', { message });
}

/** Records the failure of the call and returns the error response for the client. */
export function recordFailure(envelope: Envelope, outcome: Outcome, failure: Failure): RenderedFailure {
  const rendered = envelope.encodeFailure(failure, outcome.requestId);
  outcome.failed(failure, rendered.status);
  outcome.record();
  return rendered;
}

/** Returns the headers of every response: the request id and the limits. */
export function toldHeaders(
  envelope: Envelope,
  { requestId, admission, atMs }: Pick<Outcome, 'requestId' | 'admission' | 'atMs'>,
): Record<string, string> {
  const headers = requestIdHeaders(envelope, requestId);
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
