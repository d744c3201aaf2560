import type { Vouched } from '../../engine/access/vouched-key.ts';
import type { ClientFormat, Endpoint } from '../../formats/format.ts';
import type { SocketHandler } from './socket-route.ts';

/** What handlers read of a request: one of Bun's own, or one whose address has been put right. */
export interface ClientRequest extends Pick<Request, 'method' | 'url' | 'headers' | 'body' | 'bytes' | 'signal'> {
  /** The model that the address names where the body has its place (Azure's deployments). */
  readonly modelInPath?: string;
  /** The key of a request that shows none, since somebody stands for it who has signed in. */
  readonly vouched?: Vouched;
}

/** Bun's handle on the connections of requests. */
export interface Connections {
  /** The idle timer; 0 seconds switches it off. */
  timeout(request: ClientRequest, seconds: number): void;
  /** The other end; `null` once it has gone. */
  requestIP(request: ClientRequest): { readonly address: string } | null;
  /** Makes a WebSocket of the connection; false where the request is no handshake of one. */
  upgrade(
    request: ClientRequest,
    options: { readonly data: SocketHandler; readonly headers: Readonly<Record<string, string>> },
  ): boolean;
}

/**
 * A handler for Bun's own router. Hono in between cost 5 to 7 µs a request, a fifth of what a bare proxy spends, so the
 * endpoints that carry the traffic are mounted without it (docs/decisions/002-routing-without-hono.md).
 */
export type RouteHandler = Handler<ClientRequest>;

/** The same for what needs Bun's own request. */
export type ServerHandler = Handler<Request>;

type Handler<Of extends ClientRequest> = (request: Of, connections: Connections) => Response | Promise<Response>;

export type Routes = Readonly<Record<string, RouteHandler>>;

/** An endpoint at which models are called. */
export interface CallRoute {
  readonly format: ClientFormat;
  readonly endpoint: Endpoint;
  readonly post: RouteHandler;
}
