import { Failure } from '../../domain/failure/failure.ts';
import { requestTarget } from '../../formats/shared/request/request-target.ts';
import type { ClientFormat } from '../../formats/text/format.ts';
import { failureResponse } from './failure-response.ts';
import type { ClientRequest } from './route.ts';

export interface AllowedMethods {
  /** The value of the `Allow` header, such as `GET, HEAD`. */
  readonly allow: string;
  /** The expected content of a POST; a JSON body by default. */
  readonly body?: string;
  readonly newRequestId: () => string;
}

/** Returns a 405 with the allowed methods (RFC 9110, 15.5.6). */
export function methodNotAllowed(
  request: ClientRequest,
  format: ClientFormat,
  { allow, newRequestId, body = 'a JSON body' }: AllowedMethods,
): Response {
  const methods = allow.split(', ').filter((method) => method !== 'HEAD');
  const failure = new Failure('method_not_allowed', {
    message: `${request.method} is not allowed on ${requestTarget(request.url).path.slice(0, 200)}. Use ${methods.join(' or ')}${allow === 'POST' ? ` with ${body}` : ''}.`,
  });
  return failureResponse(format, failure, newRequestId(), { allow });
}
