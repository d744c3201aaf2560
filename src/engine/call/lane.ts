import type { Loss } from '../../domain/exchange/loss.ts';
import type { ServedAs } from '../../domain/exchange/served-as.ts';
import type { Failure } from '../../domain/failure/failure.ts';
import type { Billable } from '../../domain/money/quantity.ts';
import type { Extras } from '../ports/billing.ts';

/** An upstream request as a lane makes it, before its signature. */
export interface LaneRequest {
  /** `null` for a request without a body. */
  readonly body: Uint8Array<ArrayBuffer> | null;
  /** `POST` where it is absent. */
  readonly method?: 'GET' | 'DELETE';
  /** They win over the target's own (`content-type` of a form). `null` for none. */
  readonly headers: Readonly<Record<string, string>> | null;
  /** What of the client's request did not get in. */
  readonly losses: readonly Loss[];
  /** What the target bills for it beyond what the model's prices say; or why this account may not send it there. */
  readonly extras: Extras | null | Failure;
}

/** A whole answer for the client. */
export interface LaneAnswer {
  readonly body: Uint8Array<ArrayBuffer> | string;
  /** 200 where it is absent. */
  readonly status?: number;
  /** `application/json` where it is absent. */
  readonly contentType?: string;
  /** What it came to; `null` where the upstream has not said it. */
  readonly billable: Billable | null;
  readonly served: ServedAs;
  /** The same with all that was made, where `body` does not show it and no usage was reported. */
  readonly shown?: LaneAnswer['body'];
}

/** Where in a stream a failure is told. */
export interface FailurePlace {
  /** Nothing of an answer has gone out. */
  readonly isFirst?: boolean;
  readonly requestId?: string;
}

/** Carries one answer to the client piece by piece: bytes in at any split, bytes out. */
export interface AnswerStream {
  /** Takes the upstream's next piece; returns what can go to the client now (possibly nothing). */
  push(piece: Uint8Array): Uint8Array;
  /** The upstream ended; returns what was held back. */
  end(): Uint8Array;
  /** Set when the stream itself carried an error, or ended before its natural end. */
  readonly failure: Failure | null;
  /** The client can see no more: the last piece of the answer has passed. */
  readonly finished: boolean;
  /** The upstream has begun an answer, without any content yet. */
  readonly opened?: boolean;
  /** Content has passed: from here on the client may have seen a part of the answer. */
  readonly started: boolean;
  /** An upstream that stays silent now has said all, in a wire without an end mark. */
  readonly mayEnd?: boolean;
  readonly served: ServedAs;
  /** The whole answer once the stream is finished, where it has to be kept. */
  readonly answerJson?: string | null;
  /** The piece that ends this very stream with a failure, where that depends on what has gone out; else `null` or absent. */
  encodeFailure?(failure: Failure): string | null;
}

/** One way of a request to a target and of the answer back (design, section 3): chosen per attempt, after routing. */
export interface Lane<S extends AnswerStream = AnswerStream> {
  /** The client's own bytes go up and the answer's come back, but for declared patches. */
  readonly isRelayed: boolean;
  request(): LaneRequest | Failure | Promise<LaneRequest | Failure>;
  answer(bytes: Uint8Array, headers: Headers): LaneAnswer | Failure;
  /** Absent where the operation has no streams. */
  stream?(): S;
  /** A whole answer to a request for a stream, as the stream that it could have been. */
  streamOfWhole?(bytes: Uint8Array): { readonly relay: S; readonly bytes: Uint8Array } | Failure;
}
