import { after } from '../../domain/concurrency/after.ts';
import type { ClientRequest, Connections, ServerHandler } from './route.ts';

/** The origins whose pages may call the gateway from a browser; `*` for all. */
export type CorsOrigins = '*' | ReadonlySet<string>;

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';
/** Chrome caches a preflight answer for two hours at most. */
const MAX_AGE_SECONDS = '7200';
const MOST_HEADERS = 100;

/** Headers that clients of the four formats send besides `x-…`: keys, versions, SDK telemetry, idempotency, tracing. */
const ALLOWED =
  /^(?:authorization|content-type|content-encoding|accept|api-key|user-agent|idempotency-key|http-referer|if-none-match|last-event-id|cache-control|pragma|traceparent|tracestate|baggage|sentry-trace|(?:anthropic|openai|x)-[\w-]{1,100})$/;
/** Headers that only a proxy may set. */
const OF_PROXIES = /^x-(?:forwarded|real-ip|original|http-method|rewrite|envoy|amz)/;

/**
 * Lets pages in browsers call the gateway (CORS, fetch.spec.whatwg.org). The page itself sets the key in a header, so no page can do
 * anything without one, and `Access-Control-Allow-Credentials` is never sent: cookies mean nothing here. Requests without an `Origin`,
 * which is all that do not come from a browser, cost one header look-up.
 */
export class Cors {
  constructor(private readonly origins: CorsOrigins) {}

  around(handler: ServerHandler): ServerHandler {
    if (this.origins !== '*' && this.origins.size === 0) return handler;
    return (request, connections) => {
      const origin = request.headers.get('origin');
      return origin === null ? handler(request, connections) : this.answer(origin, request, connections, handler);
    };
  }

  all(routes: Readonly<Record<string, ServerHandler>>): Record<string, ServerHandler> {
    return Object.fromEntries(Object.entries(routes).map(([path, handler]) => [path, this.around(handler)]));
  }

  private answer(origin: string, request: Request, connections: Connections, handler: ServerHandler) {
    const allowed = this.allowed(origin);
    if (allowed !== null && isPreflight(request)) return preflight(allowed, request.headers);
    return after(handler(request, connections), (answer) => withOrigin(answer, allowed));
  }

  private allowed(origin: string): string | null {
    if (this.origins === '*') return '*';
    return this.origins.has(origin) ? origin : null;
  }
}

function isPreflight({ method, headers }: ClientRequest): boolean {
  return method === 'OPTIONS' && headers.has('access-control-request-method');
}

function preflight(allowed: string, headers: Headers): Response {
  const asked = (headers.get('access-control-request-headers') ?? '').toLowerCase().split(',', MOST_HEADERS);
  const names = asked.map((name) => name.trim()).filter((name) => ALLOWED.test(name) && !OF_PROXIES.test(name));
  const answer = new Response(null, {
    status: 204,
    headers: {
      'access-control-allow-methods': METHODS,
      'access-control-max-age': MAX_AGE_SECONDS,
      ...(names.length > 0 ? { 'access-control-allow-headers': names.join(', ') } : {}),
      vary: 'access-control-request-headers',
    },
  });
  return withOrigin(answer, allowed);
}

/** Exposes all headers to a page that may read the answer: they contain nothing about other clients. */
function withOrigin(answer: Response, allowed: string | null): Response {
  if (allowed !== '*') answer.headers.append('vary', 'origin');
  if (allowed === null) return answer;
  answer.headers.set('access-control-allow-origin', allowed);
  answer.headers.set('access-control-expose-headers', '*');
  return answer;
}
