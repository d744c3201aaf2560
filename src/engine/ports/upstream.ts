import type { ChannelTimeouts } from '../../domain/catalog/channel.ts';
import type { Failure } from '../../domain/failure/failure.ts';
import type { LocalUpstream } from '../../providers/manifest.ts';

/** Whoever waits for an answer. The signal may be made only when it is asked for, so it is asked for only when needed. */
export interface WaitingClient {
  /** Fires when the client closes its connection. */
  readonly signal: AbortSignal;
}

export interface UpstreamRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer> | null;
  readonly timeouts: ChannelTimeouts;
  /** Answers instead of the network, for a provider that lives inside the process. */
  readonly local?: LocalUpstream | undefined;
  /** On whose behalf, if anybody's: when its signal fires the upstream connection is cut at once. */
  readonly client?: WaitingClient;
}

/** The answer's bytes, pulled one piece at a time: nothing is read ahead of the reader beyond the socket's buffers. */
export interface UpstreamBody {
  /** The next piece, `null` at the end, or why there is none. Idle and total timeouts apply. */
  read(): Promise<Uint8Array | null | Failure>;
  /** The rest, whole, or the failure; a body of more than `limitBytes` is a failure. */
  readAll(limitBytes: number): Promise<Uint8Array | Failure>;
  /** Cuts the connection. Harmless after the end. */
  cancel(): void;
}

export interface UpstreamAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: UpstreamBody;
}

/** Sends one request. It never throws: what goes wrong before the answer's head is a `Failure` of side `upstream`. */
export interface Upstream {
  send(request: UpstreamRequest): Promise<UpstreamAnswer | Failure>;
  /** Ends every call that is under way, whichever phase it is in, with this failure (shutdown). */
  interrupt(failure: Failure): void;
}
