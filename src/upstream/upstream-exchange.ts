import type { AnswerHeaders } from '../domain/http/answer-headers.ts';
/** One request and its answer over some transport. Promises reject with the transport's own errors (`transport-failure.ts`). */
export interface UpstreamExchange {
  /** Whether there is no connection yet; `null` where the transport does not tell. */
  readonly isConnecting: boolean | null;
  /** Sends the request; the head of the answer. */
  head(): Promise<{ readonly status: number; readonly headers: AnswerHeaders }>;
  /** The next piece of the decoded body, `null` at its end. One call at a time. */
  read(): Promise<Uint8Array | null>;
  /** The body from here on, whole. */
  bytes(): Promise<Uint8Array>;
  /** Cuts it; harmless after its end. */
  abort(): void;
}
