import { Failure } from '../../domain/failure/failure.ts';
import { describeError } from '../../domain/text/describe-error.ts';
import type { ClientFormat, RenderedFailure } from '../../formats/format.ts';
import { requestIdHeaders } from '../../formats/shared/request-id.ts';
import type { AskedTarget } from '../directory/target.ts';
import type { Logger } from '../ports/logger.ts';
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
export function recordFailure<Asked extends AskedTarget>(
  format: ClientFormat,
  outcome: Outcome<Asked>,
  failure: Failure,
): RenderedFailure {
  const rendered = format.encodeFailure(failure, outcome.requestId);
  outcome.failure = failure;
  outcome.status = rendered.status;
  outcome.clientGone = failure.code === 'client_closed_request';
  outcome.record();
  return rendered;
}

/** What every answer says in headers: the request's id, and what the limits say. */
export function toldHeaders<Asked extends AskedTarget>(
  format: ClientFormat,
  { requestId, admission, atMs }: Outcome<Asked>,
): Record<string, string> {
  const headers = requestIdHeaders(format, requestId);
  if (admission !== null) addLimitHeaders(headers, format, admission, atMs);
  return headers;
}
