import type { Failure } from '../../domain/failure/failure.ts';
import type { ClientFormat } from '../../formats/format.ts';
import { clientFormats } from '../../formats/index.ts';
import { requestIdHeaders } from '../../formats/shared/request/request-id.ts';

/** A failure outside of any exchange: unknown paths, wrong methods. */
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

/** The format in which a client of this path expects its errors, by the endpoints that begin as it does; `null` where none does. */
export function formatOfPath(pathname: string): ClientFormat | null {
  for (const format of clientFormats.values()) {
    const isTheirs = format.endpoints.some(({ path, shared }) => !shared && pathname.startsWith(firstSegments(path)));
    if (isTheirs) return format;
  }
  return null;
}

/** `/v1/messages` of `/v1/messages/count_tokens`, `/v1beta/` of `/v1beta/models/*`. */
function firstSegments(path: string): string {
  const [, version = '', first = ''] = path.split('/');
  return version === 'v1' ? `/v1/${first}` : `/${version}/`;
}
