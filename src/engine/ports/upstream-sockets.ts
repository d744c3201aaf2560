import type { Failure } from '../../domain/failure/failure.ts';

/** A message, either text or binary, as it was received. */
export type SocketMessage = string | Uint8Array;

export interface UpstreamSocketRequest {
  /** A `wss:` or `ws:` URL. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** See `UpstreamRequest.isGuarded`. */
  readonly isGuarded?: boolean;
  /** The time limit for the upstream to accept the connection. */
  readonly timeoutMs: number;
  /** Cancels the opening of the connection. */
  readonly signal: AbortSignal;
}

/** The events of an upstream's WebSocket. */
export interface SocketListener {
  message(data: SocketMessage): void;
  /** Called once; the code is 1006 if the connection was cut. */
  closed(code: number, reason: string): void;
}

export interface UpstreamSocket {
  /** Delivers the messages that have arrived, then each new one. */
  listen(listener: SocketListener): void;
  send(data: SocketMessage): void;
  /** The number of bytes sent but not yet taken by the socket. */
  readonly waitingBytes: number;
  /** Stops reading until `resume`. */
  pause(): void;
  resume(): void;
  close(code: number, reason: string): void;
}

/** Opens WebSockets to upstreams. Never throws: a refused upgrade is a failure, like the same status of a request. */
export interface UpstreamSockets {
  connect(request: UpstreamSocketRequest): Promise<UpstreamSocket | Failure>;
}
