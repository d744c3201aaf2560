import type { Failure } from '../../domain/failure/failure.ts';

/** A message as it came: a text stays a text, and bytes stay bytes. */
export type SocketMessage = string | Uint8Array;

export interface UpstreamSocketRequest {
  /** `wss:` or `ws:`. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** As of `UpstreamRequest`. */
  readonly isGuarded?: boolean;
  /** Until the upstream has accepted. */
  readonly timeoutMs: number;
  /** Fires if the connection is no longer wanted while it is being opened. */
  readonly signal: AbortSignal;
}

/** The events of an upstream's WebSocket. */
export interface SocketListener {
  message(data: SocketMessage): void;
  /** Called once; 1006 where the connection was cut. */
  closed(code: number, reason: string): void;
}

export interface UpstreamSocket {
  /** Delivers the messages that have arrived, then each new one. */
  listen(listener: SocketListener): void;
  send(data: SocketMessage): void;
  /** Sent, and not yet taken. */
  readonly waitingBytes: number;
  /** Nothing more is read until `resume`. */
  pause(): void;
  resume(): void;
  close(code: number, reason: string): void;
}

/** Opens WebSockets to upstreams. Never throws: a refusal of the upgrade is a failure, as the same status of a request is. */
export interface UpstreamSockets {
  connect(request: UpstreamSocketRequest): Promise<UpstreamSocket | Failure>;
}
