import type { Usage } from '../domain/exchange/usage.ts';
import type { Failure } from '../domain/failure/failure.ts';

/** A client's request after parsing and validation: the few facts that routing needs, and the client's own bytes. */
export interface ParsedRequest {
  readonly model: string;
  readonly stream: boolean;
  /** Whether the client itself asked to see usage in the stream. */
  readonly wantsStreamUsage: boolean;
  readonly bytes: Uint8Array;
  /** The decoded body; read-only by agreement. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** What the gateway changes in an answer on the relay lane; all other bytes stay. */
export interface AnswerPatch {
  readonly publicModel: string;
  /** The contract's `_routing` object as JSON, made once. */
  readonly routingJson: string;
}

export interface RelayedAnswer {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly usage: Usage | null;
}

/** Relays one answer stream: bytes in at any split, bytes out with the declared patches; watches usage on the way. */
export interface StreamRelay {
  /** Takes the upstream's next piece; returns what can go to the client now (possibly nothing). */
  push(piece: Uint8Array): Uint8Array;
  /** The upstream ended; returns what was held back. */
  end(): Uint8Array;
  /** Set when the stream itself carried an error, or ended before its natural end. */
  readonly failure: Failure | null;
  /** The client can see no more: the stream's terminal frame has passed. */
  readonly finished: boolean;
  readonly usage: Usage | null;
  /** An event with data has passed: from here on the client may have seen a part of the answer. */
  readonly started: boolean;
}

export interface RenderedFailure {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** One wire format, both directions: the same object serves clients and upstreams, so the two cannot drift. */
export interface Format {
  readonly name: string;
  /** The inbound path of the format's text endpoint. */
  readonly path: string;
  parseRequest(bytes: Uint8Array): ParsedRequest | Failure;
  /** The upstream body on the relay lane: the client's bytes with the declared patches. */
  relayRequest(request: ParsedRequest, upstreamModel: string): Uint8Array<ArrayBuffer>;
  relayAnswer(bytes: Uint8Array, patch: AnswerPatch): RelayedAnswer | Failure;
  relayStream(request: ParsedRequest, patch: AnswerPatch): StreamRelay;
  /** An upstream's error answer as a failure; the message is the upstream's, cleaned of secrets. */
  decodeFailure(status: number, headers: Headers, bytes: Uint8Array): Failure;
  encodeFailure(failure: Failure): RenderedFailure;
  /** The frame that ends a stream which failed after its head was sent. */
  encodeStreamFailure(failure: Failure): string;
}
