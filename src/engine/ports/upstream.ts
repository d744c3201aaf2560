import type { CallTimeouts } from '../../domain/catalog/channel.ts';
import type { Failure } from '../../domain/failure/failure.ts';
import type { AnswerHeaders } from '../../domain/http/answer-headers.ts';
import type { PiecedBody } from '../../domain/media/pieced-body.ts';
import type { LocalUpstream } from '../../providers/manifest.ts';

/** The client of a call. The signal may be created lazily, so read it only when needed. */
export interface WaitingClient {
  /** Fires when the client closes its connection. */
  readonly signal: AbortSignal;
  /** The account of the call. A provider inside the process schedules accounts fairly. */
  readonly accountId?: string;
}

/** A streamed request body, read as fast as the upstream accepts it. */
export interface ComingBody {
  readonly stream: ReadableStream<Uint8Array<ArrayBuffer>>;
  /** `null` if unknown. */
  readonly length: number | null;
  /** Called by the upstream client at the start, and by the stream for every chunk that is read. */
  onTaken: (() => void) | null;
}

export interface UpstreamRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer> | PiecedBody | ComingBody | null;
  readonly timeouts: CallTimeouts;
  /** Whether private addresses must be refused, since an account chose the URL. */
  readonly isGuarded?: boolean;
  /** Replaces the network for a provider that runs inside the process. */
  readonly local?: LocalUpstream | undefined;
  /** The client of the call, if any. Its signal cuts the upstream connection at once. */
  readonly client?: WaitingClient;
}

/** Limits for reading a whole body. */
export interface ReadBounds {
  readonly limitBytes: number;
  /** The time limit from now on, if it ends before the call's total timeout. */
  readonly withinMs?: number;
  /** Returns whether there is memory for that many more bytes. Without it, `limitBytes` is the only limit. */
  readonly take?: (bytes: number) => boolean;
  /** Keeps reading after the client disconnects, since the gateway itself needs the rest. */
  readonly outlivesClient?: boolean;
}

/** The response body, pulled chunk by chunk. Nothing is read ahead of the consumer beyond the socket's buffers. */
export interface UpstreamBody {
  /**
   * Resolves to the next chunk, `null` at the end, or a failure. The idle timeout (`withinMs` if that is less) and the total timeout apply.
   */
  read(withinMs?: number): Promise<Uint8Array | null | Failure>;
  /** Returns the rest of the body, or a failure, also if a limit is exceeded. Synchronous if all of it has arrived. */
  readAll(bounds: ReadBounds): Uint8Array | Failure | Promise<Uint8Array | Failure>;
  /** Cuts the connection. No effect after the end. */
  cancel(): void;
}

export interface UpstreamAnswer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly body: UpstreamBody;
}

/** Sends one request. Never throws: an error before the response headers is a `Failure` of side `upstream`. */
export interface Upstream {
  send(request: UpstreamRequest): Promise<UpstreamAnswer | Failure>;
  /** Fails every call in flight, in whichever phase, and every later one with this failure (shutdown). */
  interrupt(failure: Failure): void;
}

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
