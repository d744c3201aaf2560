import { openaiChat } from '../../../formats/text/openai-chat/index.ts';
import { isNotModified } from '../answer-cache.ts';
import { methodNotAllowed } from '../method-not-allowed.ts';
import type { RouteHandler } from '../route.ts';

/** The document as it is sent. */
export interface WrittenDocument {
  /** All answers share it; of a `Uint8Array` each would hold a copy. */
  readonly body: Blob;
  /** A strong validator (RFC 9110, 8.8.3). */
  readonly etag: string;
}

export type DocumentFormat = 'json' | 'yaml';

export interface OpenApiRoutesOptions {
  /** The document in one of its formats, which is made at the first request for it. */
  readonly openapi: (format: DocumentFormat) => Promise<WrittenDocument>;
  readonly newRequestId: () => string;
}

const TYPES: Readonly<Record<DocumentFormat, string>> = { json: 'application/json', yaml: 'application/yaml' };

/** `GET /openapi.json` and `/openapi.yaml`: what the gateway serves, for anybody. */
export function openApiRoutes(options: OpenApiRoutesOptions): Record<string, RouteHandler> {
  return { '/openapi.json': route('json', options), '/openapi.yaml': route('yaml', options) };
}

function route(format: DocumentFormat, { openapi, newRequestId }: OpenApiRoutesOptions): RouteHandler {
  return async (request) => {
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return methodNotAllowed(request, openaiChat, { allow: 'GET, HEAD', newRequestId });
    const { body, etag } = await openapi(format);
    const headers = {
      'content-type': TYPES[format],
      // It changes with the gateway's version alone.
      'cache-control': 'no-cache',
      etag,
      'x-request-id': newRequestId(),
    };
    if (isNotModified(request.headers.get('if-none-match'), etag)) return new Response(null, { status: 304, headers });
    const sized = { ...headers, 'content-length': String(body.size) };
    return new Response(request.method === 'HEAD' ? null : body, { headers: sized });
  };
}
