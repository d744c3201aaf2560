import type { CallTimeouts } from '../../domain/catalog/channel.ts';
import type { Failure } from '../../domain/failure/failure.ts';
import type { AnswerHeaders } from '../../domain/http/answer-headers.ts';
import type { PiecedBody } from '../../domain/media/pieced-body.ts';
import type { LocalUpstream } from '../../providers/manifest.ts';

/** The client of a call. Reading the signal may create it, so it is read only when needed. */
export interface WaitingClient {
  /** Fires when the client closes its connection. */
  readonly signal: AbortSignal;
  /** Whose call it is. A provider inside the process lets the accounts take turns. */
  readonly accountId?: string;
}

/** A body that is still arriving: it is read as fast as the upstream takes it. */
export interface ComingBody {
  readonly stream: ReadableStream<Uint8Array<ArrayBuffer>>;
  /** `null` where it is not known. */
  readonly length: number | null;
  /** Called by the upstream side at the beginning, and by the stream for every piece that is taken. */
  onTaken: (() => void) | null;
}

export interface UpstreamRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer> | PiecedBody | ComingBody | null;
  readonly timeouts: CallTimeouts;
  /** It must not reach the gateway's own network: an account has chosen the address. */
  readonly isGuarded?: boolean;
  /** Answers instead of the network, for a provider that lives inside the process. */
  readonly local?: LocalUpstream | undefined;
  /** The client of the call, if any: when its signal fires, the upstream connection is cut at once. */
  readonly client?: WaitingClient;
}

/** The bounds for reading a whole body. */
export interface ReadBounds {
  readonly limitBytes: number;
  /** For all of it from now on, where that ends before the call's total timeout. */
  readonly withinMs?: number;
  /** Whether there is room in memory for so many bytes more; without it, the limit is the only bound. */
  readonly hold?: (bytes: number) => boolean;
  /** The client's leaving no longer cuts it: the gateway itself needs the rest. */
  readonly outlivesClient?: boolean;
}

/** The answer's bytes, pulled one piece at a time: nothing is read ahead of the reader beyond the socket's buffers. */
export interface UpstreamBody {
  /** The next piece, `null` at the end, or the failure. Idle (`withinMs` where that is less) and total timeouts apply. */
  read(withinMs?: number): Promise<Uint8Array | null | Failure>;
  /** The rest, whole, or the failure; a body past one of the bounds is a failure. At once where all of it has come. */
  readAll(bounds: ReadBounds): Uint8Array | Failure | Promise<Uint8Array | Failure>;
  /** Cuts the connection. Harmless after the end. */
  cancel(): void;
}

export interface UpstreamAnswer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly body: UpstreamBody;
}

/** Sends one request. It never throws: what goes wrong before the answer's head is a `Failure` of side `upstream`. */
export interface Upstream {
  send(request: UpstreamRequest): Promise<UpstreamAnswer | Failure>;
  /** Ends every call that is under way, whichever phase it is in, and every later one with this failure (shutdown). */
  interrupt(failure: Failure): void;
}
