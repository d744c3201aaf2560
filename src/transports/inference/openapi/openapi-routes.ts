import { openaiChat } from '../../../formats/text/openai-chat/index.ts';
import { isNotModified } from '../answer-cache.ts';
import { methodNotAllowed } from '../failure-response.ts';
import type { RouteHandler } from '../route.ts';

/** A document in its serialized form. */
export interface WrittenDocument {
  /** Shared by all answers; a `Uint8Array` would be copied for each. */
  readonly body: Blob;
  /** A strong validator (RFC 9110, 8.8.3). */
  readonly etag: string;
}

export type DocumentFormat = 'json' | 'yaml';

export interface OpenApiRoutesOptions {
  /** Resolves to the document in one of its formats, which is made on first request. */
  readonly openapi: (format: DocumentFormat) => Promise<WrittenDocument>;
  readonly newRequestId: () => string;
}

const TYPES: Readonly<Record<DocumentFormat, string>> = { json: 'application/json', yaml: 'application/yaml' };

/** Serves `GET /openapi.json` and `/openapi.yaml`, without authentication. */
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
      // The document changes only with the gateway's version and name.
      'cache-control': 'no-cache',
      etag,
      'x-request-id': newRequestId(),
    };
    if (isNotModified(request.headers.get('if-none-match'), etag)) return new Response(null, { status: 304, headers });
    const sized = { ...headers, 'content-length': String(body.size) };
    return new Response(request.method === 'HEAD' ? null : body, { headers: sized });
  };
}
