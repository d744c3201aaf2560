import type { RequestLine } from '../../domain/http/request-line.ts';
import type { Caller, DelegatedCredential } from '../../engine/access/caller.ts';
import { requestTarget } from '../../formats/shared/request/request-target.ts';
import type { Endpoint } from '../../formats/text/client-request.ts';
import type { ClientFormat } from '../../formats/text/format.ts';
import type { SocketHandler } from './socket-route.ts';

/** The parts of a request that handlers read: one of Bun's own, or one whose address has been corrected. */
export interface ClientRequest extends Pick<Request, 'method' | 'url' | 'headers' | 'body' | 'bytes' | 'signal'> {
  /** The model named in the address, if it replaces the body's (Azure's deployments). */
  readonly modelInPath?: string;
  /** Whether the address is OpenRouter's, whose clients expect the cost in `usage`, and models as OpenRouter lists them. */
  readonly isOpenRouters?: boolean;
  /** The key of a request that carries none because a signed-in person vouches for it. */
  readonly delegated?: DelegatedCredential;
}

/** Bun's handle on the connections of requests. */
export interface Connections {
  /** Sets the idle timer; 0 seconds switches it off. */
  timeout(request: ClientRequest, seconds: number): void;
  /** Returns the peer's address; `null` once it has disconnected. */
  requestIP(request: ClientRequest): { readonly address: string } | null;
  /** Upgrades the connection to a WebSocket; returns false if the request is not a handshake. */
  upgrade(
    request: ClientRequest,
    options: { readonly data: SocketHandler; readonly headers: Readonly<Record<string, string>> },
  ): boolean;
}

/**
 * A handler for Bun's own router. Hono in between cost 5 to 7 µs per request, a fifth of what a bare proxy takes, so the endpoints that
 * carry the traffic are mounted without it (docs/decisions/002-routing-without-hono.md).
 */
export type RouteHandler = Handler<ClientRequest>;

/** A handler that needs Bun's own request. */
export type ServerHandler = Handler<Request>;

type Handler<Of extends ClientRequest> = (request: Of, connections: Connections) => Response | Promise<Response>;

export type Routes = Readonly<Record<string, RouteHandler>>;

/** An endpoint at which models are called. */
export interface CallRoute {
  readonly format: ClientFormat;
  readonly endpoint: Endpoint;
  readonly post: RouteHandler;
}

/** Returns the request's credential: the delegated key, or the key in the place where clients of this format put it. */
export function secretOf(format: Pick<ClientFormat, 'secret'>, request: ClientRequest): Caller['secret'] {
  return request.delegated ?? format.secret(request.headers, request.url);
}

/** @param route the path of the route, with `*` for its variable parts; absent if it has none */
export function requestLine({ method, url }: ClientRequest, route?: string): RequestLine {
  const { path } = requestTarget(url);
  return { method, route: route ?? path, path };
}
