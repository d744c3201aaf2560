import type { AnswerHeaders } from '../domain/http/answer-headers.ts';

/** Waits for the head of an answer. One of the two methods is called, once. */
export interface HeadListener {
  headCame(status: number, headers: AnswerHeaders): void;
  /** Receives the transport's own error (`transport-failure.ts`). */
  headLost(error: unknown): void;
}

/** The body of an answer. Promises reject with the transport's own errors. */
export interface AnswerBytes {
  /** Resolves to the next piece of the decoded body, `null` at its end. One call at a time. */
  read(): Promise<Uint8Array | null>;
  /** Returns the remaining body, synchronously if all of it has arrived. */
  bytes(): Uint8Array | Promise<Uint8Array>;
  /** Cuts the connection; has no effect after the end. */
  abort(): void;
}

/** One request and its answer over some transport. */
export interface UpstreamExchange extends AnswerBytes {
  /** Whether there is no connection yet; `null` if the transport does not tell. */
  readonly isConnecting: boolean | null;
  /** Sends the request. The body can be read once the head has arrived. */
  send(listener: HeadListener): void;
}
