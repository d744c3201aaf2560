import type { Loss } from '../../domain/exchange/loss.ts';
import type { RoutingFacts } from '../../domain/exchange/routing-info.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { describeError } from '../../domain/text/describe-error.ts';
import { requestIdHeaders } from '../../formats/shared/request-id.ts';
import type { Envelope, RenderedFailure } from '../../formats/wire.ts';
import type { Logger } from '../ports/logger.ts';
import { lossesHeader } from './losses-header.ts';
import type { Outcome } from './outcome.ts';
import { addLimitHeaders } from './told-limits.ts';

/* What every kind of call does in the same way at its end. */

/** A bug of ours: the client learns that, and nothing else about it. */
export function internalError(logger: Logger, requestId: string, error: unknown): Failure {
  logger.error({ requestId, ...describeError(error) }, 'internal error');
  const message = `Something went wrong inside the gateway. Report it with the request id ${requestId}.`;
  return new Failure('internal_error', { message });
}

/** Records that the call has failed; what its client is told. */
export function recordFailure(envelope: Envelope, outcome: Outcome, failure: Failure): RenderedFailure {
  const rendered = envelope.encodeFailure(failure, outcome.requestId);
  outcome.failed(failure, rendered.status);
  outcome.record();
  return rendered;
}

/** What every answer says in headers: the request's id, and what the limits say. */
export function toldHeaders(
  envelope: Envelope,
  { requestId, admission, atMs }: Pick<Outcome, 'requestId' | 'admission' | 'atMs'>,
): Record<string, string> {
  const headers = requestIdHeaders(envelope, requestId);
  if (admission !== null) addLimitHeaders(headers, envelope, admission, atMs);
  return headers;
}

/** The same with the time that the answer took, where the client's API says that. */
export function callHeaders(envelope: Envelope, outcome: Outcome): Record<string, string> {
  const headers = toldHeaders(envelope, outcome);
  if (envelope.processingHeader !== undefined) {
    headers[envelope.processingHeader] = String(Math.round(outcome.elapsedMs()));
  }
  return headers;
}

/** The same of an answer that a channel has given. */
export function answerHeaders(
  envelope: Envelope,
  outcome: Outcome,
  { routing, losses }: { readonly routing: RoutingFacts; readonly losses: readonly Loss[] },
): Record<string, string> {
  const headers = callHeaders(envelope, outcome);
  headers['x-routing'] = routing.json;
  const lost = lossesHeader(losses);
  if (lost !== null) headers['x-switchyard-losses'] = lost;
  return headers;
}
