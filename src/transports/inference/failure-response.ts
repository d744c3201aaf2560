import type { Failure } from '../../domain/failure/failure.ts';
import type { ClientFormat } from '../../formats/format.ts';
import { clientFormats } from '../../formats/index.ts';
import { requestIdHeaders } from '../../formats/shared/request-id.ts';

/** A failure outside of any exchange: unknown paths, wrong methods. */
export function failureResponse(
  format: ClientFormat,
  failure: Failure,
  requestId: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const rendered = format.encodeFailure(failure);
  return new Response(rendered.body, {
    status: rendered.status,
    headers: { ...rendered.headers, ...headers, ...requestIdHeaders(format, requestId) },
  });
}

/** The format in which a client of this path expects its errors: that of the endpoint with the longest common beginning. */
export function formatOfPath(pathname: string, fallback: ClientFormat): ClientFormat {
  for (const format of clientFormats.values()) {
    const isTheirs = format.endpoints.some(({ path, shared }) => !shared && pathname.startsWith(firstSegments(path)));
    if (isTheirs) return format;
  }
  return fallback;
}

/** `/v1/messages` of `/v1/messages/count_tokens`, `/v1beta/` of `/v1beta/models/*`. */
function firstSegments(path: string): string {
  const [, version = '', first = ''] = path.split('/');
  return version === 'v1' ? `/v1/${first}` : `/${version}/`;
}
