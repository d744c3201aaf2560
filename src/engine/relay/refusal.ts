import { ERROR_CODES } from '../../domain/failure/error-codes.ts';
import { Failure } from '../../domain/failure/failure.ts';
import type { ClientFormat } from '../../formats/format.ts';
import { cleanMessage } from '../../formats/shared/failure/clean-message.ts';
import { messageOf } from '../../formats/shared/failure/upstream-failure.ts';
import { parseJsonBytes } from '../../formats/shared/json/json-text.ts';
import type { UpstreamAnswer } from '../ports/upstream.ts';

/** An upstream's error body is read no further than this, and no longer. */
const ERROR_BOUNDS = { limitBytes: 256 * 1024, withinMs: 10_000 };
const PASSED_ON = ERROR_CODES.invalid_request.otherStatuses;
/** They are about the channel and not about what was asked of it. */
const OF_CHANNEL = new Set([401, 402, 403, 407, 408, 429]);

/**
 * An answer that is no success, as a failure. On an own channel a 4xx is nearly always the client's to see as it is: the object is not
 * there (404), not ready yet (409), gone (410). A redirect is not followed: the channel's credentials are for no other address.
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
  const message = said === '' ? `The provider refused the request and did not say why (HTTP ${status}).` : said;
  if (status === 404) return new Failure('object_not_found', { message, kind: 'http_404' });
  const other = PASSED_ON.find((one) => one === status);
  return new Failure('invalid_request', { message, kind: `http_${status}`, ...(other && { status: other }) });
}

/** A page of a proxy, or of a login, in the place of the API's answer. */
export function pageInstead(): Failure {
  return new Failure('upstream_error', {
    message: "The upstream answered with a web page, which is not its API's answer.",
    kind: 'garbage',
  });
}
