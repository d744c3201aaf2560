import { Failure } from '../../domain/failure/failure.ts';
import { clientFormats } from '../../formats/index.ts';
import { requestIdHeaders } from '../../formats/shared/request/request-id.ts';
import { requestTarget } from '../../formats/shared/request/request-target.ts';
import type { ClientFormat } from '../../formats/text/format.ts';
import type { ClientRequest } from './route.ts';

/** Renders a failure outside of any exchange, such as an unknown path or a wrong method. */
export function failureResponse(
  format: ClientFormat,
  failure: Failure,
  requestId: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const rendered = format.encodeFailure(failure, requestId);
  return new Response(rendered.body, {
    status: rendered.status,
    headers: { ...rendered.headers, ...headers, ...requestIdHeaders(format, requestId) },
  });
}

/** Returns the format in which a client of this path expects errors, judged by endpoints with the same prefix; `null` if none matches. */
export function formatOfPath(pathname: string): ClientFormat | null {
  for (const format of clientFormats.values()) {
    const isTheirs = format.endpoints.some(({ path, shared }) => !shared && pathname.startsWith(firstSegments(path)));
    if (isTheirs) return format;
  }
  return null;
}

/** Returns `/v1/messages` for `/v1/messages/count_tokens`, and `/v1beta/` for `/v1beta/models/*`. */
function firstSegments(path: string): string {
  const [, version = '', first = ''] = path.split('/');
  return version === 'v1' ? `/v1/${first}` : `/${version}/`;
}

interface AllowedMethods {
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
