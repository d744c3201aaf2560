import { openaiChat } from '../../formats/text/openai-chat/index.ts';
import { baseUrlsAt } from '../shared/base-urls.ts';
import { methodNotAllowed } from './failure-response.ts';
import { type PublicOriginOptions, publicOrigin } from './public-origin.ts';
import type { ClientRequest, RouteHandler } from './route.ts';

export interface FrontPageOptions extends PublicOriginOptions {
  readonly newRequestId: () => string;
}

const HEADERS = {
  'content-type': 'application/json',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  vary: 'accept',
};

/**
 * Serves `GET /` for clients other than browsers: what this is, that it runs, and the base URL for each client; nothing that a client does
 * not know already. Browsers get the dashboard.
 */
export function frontPage(options: FrontPageOptions): RouteHandler {
  const { newRequestId } = options;
  return (request, connections) => {
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return methodNotAllowed(request, openaiChat, { allow: 'GET, HEAD', newRequestId });
    const origin = publicOrigin(request, connections, options);
    const headers = { ...HEADERS, 'x-request-id': newRequestId() };
    const body = JSON.stringify(described(origin), null, 2);
    return new Response(request.method === 'HEAD' ? null : body, { headers });
  };
}

/** Returns whether the client names HTML, as a browser does; a client that accepts anything gets JSON. */
export function acceptsHtml({ headers }: Pick<ClientRequest, 'headers'>): boolean {
  const accept = headers.get('accept');
  return accept !== null && /\btext\/html\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/i.test(accept);
}

const READABLE = [
  ['/docs', 'the API reference'],
  ['/docs/guides', 'guides with examples: first request, streaming, tools, errors …'],
  ['/v1/models', 'the models that a key can use, with their parameters'],
  ['/v1/pricing', 'their prices'],
  ['/v1/usage', 'what a key has spent and may still spend'],
  ['/openapi.json', 'the OpenAPI document (also /openapi.yaml)'],
  ['/healthz', 'whether the process runs'],
  ['/readyz', 'whether it accepts requests'],
] as const;

function described(origin: string) {
  return {
    name: 'Switchyard',
    description: 'An AI gateway: one API key for many models, in the formats of OpenAI, Anthropic and Google.',
    status: 'running',
    base_urls: { ...baseUrlsAt(origin), azure: origin },
    authentication: 'Use the key that the operator gave you (sk-…). Each SDK sends it in its own way.',
    endpoints: Object.fromEntries(READABLE.map(([path, what]) => [path, what])),
  };
}
