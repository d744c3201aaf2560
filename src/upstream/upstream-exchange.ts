import type { AnswerHeaders } from '../domain/http/answer-headers.ts';

/** Who waits for the head of an answer. One of the two is called, once. */
export interface HeadListener {
  headCame(status: number, headers: AnswerHeaders): void;
  /** Of the transport's own errors (`transport-failure.ts`). */
  headLost(error: unknown): void;
}

/** The body of an answer. Promises reject with the transport's own errors. */
export interface AnswerBytes {
  /** The next piece of the decoded body, `null` at its end. One call at a time. */
  read(): Promise<Uint8Array | null>;
  /** The body from here on, whole; at once where all of it has come. */
  bytes(): Uint8Array | Promise<Uint8Array>;
  /** Cuts it; harmless after its end. */
  abort(): void;
}

/** One request and its answer over some transport. */
export interface UpstreamExchange extends AnswerBytes {
  /** Whether there is no connection yet; `null` where the transport does not tell. */
  readonly isConnecting: boolean | null;
  /** Sends the request. The body is there to be read once the head has come. */
  send(listener: HeadListener): void;
}
