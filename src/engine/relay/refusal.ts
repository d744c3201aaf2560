import { ERROR_CODES } from '../../domain/failure/error-codes.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { cleanMessage } from '../../formats/shared/failure/clean-message.ts';
import { messageOf } from '../../formats/shared/failure/upstream-failure.ts';
import { parseJsonBytes } from '../../formats/shared/json/json-text.ts';
import type { ClientFormat } from '../../formats/text/format.ts';
import type { UpstreamAnswer } from '../ports/upstream.ts';

/** Bounds on reading an upstream's error body, in bytes and milliseconds. */
const ERROR_BOUNDS = { limitBytes: 256 * 1024, withinMs: 10_000 };
const PASSED_ON = ERROR_CODES.invalid_request.otherStatuses;
/** Statuses that concern the channel rather than the request. */
const OF_CHANNEL = new Set([401, 402, 403, 407, 408, 429]);

/**
 * Turns an unsuccessful answer into a failure. On an own channel nearly every 4xx is passed on to the client: the object is missing (404),
 * not ready yet (409) or gone (410). Redirects are not followed, because the channel's credentials are for no other address.
 */
export async function refusalOf(format: ClientFormat, answer: UpstreamAnswer): Promise<Failure> {
  const { status, headers, body } = answer;
  if (status < 400) {
    body.cancel();
    return new Failure('upstream_error', {
      message: `The upstream answered with a redirect (HTTP ${status}), which the gateway does not follow.`,
      kind: 'redirect',
      retry: 'never',
    });
  }
  const read = await body.readAll(ERROR_BOUNDS);
  if (read instanceof Failure && read.side !== 'upstream') return read;
  const bytes = read instanceof Failure ? new Uint8Array(0) : read;
  if (status !== 404) {
    const failure = format.decodeFailure(status, headers, bytes);
    if (failure.side === 'client' || status >= 500 || OF_CHANNEL.has(status)) return failure;
  }
  const said = cleanMessage(messageOf(parseJsonBytes(bytes)));
  const message = said === '' ? `The provider refused the request without giving a reason (HTTP ${status}).` : said;
  if (status === 404) return new Failure('object_not_found', { message, kind: 'http_404' });
  const other = PASSED_ON.find((one) => one === status);
  return new Failure('invalid_request', { message, kind: `http_${status}`, ...(other && { status: other }) });
}

/** Returns the failure for a web page, such as a proxy's or a login, in place of the API's response. */
export function pageInstead(): Failure {
  return new Failure('upstream_error', {
    message: 'The upstream returned a web page instead of an API response.',
    kind: 'garbage',
  });
}
