import type { ClientFormat, Endpoint } from '../../formats/format.ts';

/** Bun's handle on a connection's idle timer; 0 seconds switches it off. */
export interface ConnectionTimer {
  timeout(request: Request, seconds: number): void;
}

/**
 * A handler for Bun's own router. Hono in between cost 5 to 7 µs a request, a fifth of what a bare proxy spends, so the
 * endpoints that carry the traffic are mounted without it (docs/decisions/002-routing-without-hono.md).
 */
export type RouteHandler = (request: Request, timer: ConnectionTimer) => Response | Promise<Response>;

/** An endpoint at which models are called. */
export interface CallRoute {
  readonly format: ClientFormat;
  readonly endpoint: Endpoint;
  readonly post: RouteHandler;
}
