import type { Loss } from '../../domain/exchange/loss.ts';
import type { ServedAs } from '../../domain/exchange/served-as.ts';
import type { Failure } from '../../domain/failure/failure.ts';
import type { AnswerHeaders } from '../../domain/http/answer-headers.ts';
import type { PiecedBody } from '../../domain/media/pieced-body.ts';
import type { Billable } from '../../domain/money/quantity.ts';
import type { NextRequest } from '../../formats/wire.ts';
import type { Extras } from '../ports/billing.ts';
import type { UpstreamAnswer, WaitingClient } from '../ports/upstream.ts';

/** An upstream request as the lane encodes it, before it is signed. */
export interface LaneRequest {
  /** `null` for a request without a body. */
  readonly body: Uint8Array<ArrayBuffer> | PiecedBody | null;
  /** `POST` if absent. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Appended to the path of the target's URL, before its query: `/alloy?output_format=mp3`; percent-encoded. */
  readonly suffix?: string;
  /** Headers that override the target's own, such as the `content-type` of a form. `null` for none. */
  readonly headers: Readonly<Record<string, string>> | null;
  /** The fields of the client's request that the upstream request could not carry. */
  readonly losses: readonly Loss[];
  /** Extras that the target bills on top of the model's prices, or the failure if the account may not use them there. */
  readonly extras: Extras | null | Failure;
  /**
   * Further requests to the same target, if one cannot hold everything. They are sent a few at a time, jobs (`Lane.next`) one by one, and
   * `Lane.answers` joins the answers. Never set on a lane that has `stream`.
   */
  readonly more?: readonly FurtherRequest[];
}

/** A further request of a lane. Its other properties are those of the first request. */
export interface FurtherRequest {
  readonly body: Uint8Array<ArrayBuffer> | PiecedBody;
  /** Replaces the headers of the first request: each form has its own boundary. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Asks the target of an attempt again, within the attempt's deadline. */
export interface FurtherRounds {
  readonly client: WaitingClient;
  /** Resolves to an answer of status 2xx. Ends when `client`, which is `this.client` or fires earlier, leaves. */
  ask(prepared: LaneRequest, client: WaitingClient): Promise<UpstreamAnswer | Failure>;
  /** Reads a whole answer within the memory of the call. */
  read(answer: UpstreamAnswer): Promise<Uint8Array | Failure>;
}

/** A request of an operation whose bodies are in memory. */
export interface BytesRequest extends LaneRequest {
  readonly body: Uint8Array<ArrayBuffer> | null;
}

/** The answer to one of several requests. */
export interface AnswerPart {
  readonly bytes: Uint8Array;
  readonly headers: AnswerHeaders;
}

/** A whole answer for the client. */
export interface WholeResponse {
  readonly body: Uint8Array<ArrayBuffer> | string;
  /** 200 if absent. */
  readonly status?: number;
  /** `application/json` if absent. */
  readonly contentType?: string;
  /** The usage; `null` if the upstream did not report it. */
  readonly billable: Billable | null;
  readonly served: ServedAs;
  /** The whole generated content, if `body` does not show it and no usage was reported: the gateway then counts the usage from this. */
  readonly shown?: WholeResponse['body'];
}

/** A whole answer whose usage is known. */
export interface CountedResponse extends WholeResponse {
  readonly billable: Billable;
}

/** The place of an error frame in its stream. */
export interface FailurePlace {
  /** True if no part of the answer has been sent. */
  readonly isFirst?: boolean;
  readonly requestId?: string;
}

/** A stream that is completely known in advance. */
export interface KnownStream<S extends ResponseStream = ResponseStream> {
  readonly relay: S;
  /** The bytes for the client. */
  readonly bytes: Uint8Array;
}

/** Carries one streamed answer to the client. The input may be split at any byte. */
export interface ResponseStream {
  /** Takes the upstream's next piece. Returns the bytes that can be sent to the client now, possibly none. */
  push(piece: Uint8Array): Uint8Array;
  /** Called when the upstream has ended. Returns the bytes that were held back. */
  end(): Uint8Array;
  /** Set if the stream carried an error, or ended before its natural end. */
  readonly failure: Failure | null;
  /** Whether the last piece of the answer has been returned. */
  readonly finished: boolean;
  /** Whether the upstream has begun an answer, even if no content has arrived yet. */
  readonly opened?: boolean;
  /** Whether content has been returned: from then on the client may have seen a part of the answer. */
  readonly started: boolean;
  /** Whether work has to be paid although no content has been returned, such as searches before the answer. */
  readonly owes?: boolean;
  /** Whether the answer may be complete, in a wire without an end mark. If the upstream stays silent now, it is. */
  readonly mayEnd?: boolean;
  readonly served: ServedAs;
  /** The `content-type` of the response, if it depends on the answer; read when the stream has started. */
  readonly contentType?: string;
  /** Whether the answer is complete but its last frames wait until its usage is counted. */
  readonly awaitsUsage?: boolean;
  /** Returns the frames that have waited for the usage; called once, after it is charged. */
  lastFrames?(): Uint8Array;
  /** The whole answer as JSON once the stream is finished, if the answer has to be kept. */
  readonly answerJson?: string | null;
  /** Returns the error frame for this stream if it depends on earlier frames. `null` or absent selects the common error frame. */
  encodeFailure?(failure: Failure): string | null;
}

/** Carries one request to a target and its answer back (design, section 3). A lane is chosen per attempt, after routing. */
export interface Lane<S extends ResponseStream = ResponseStream> {
  /** Whether the client's bytes are sent unchanged, and so are the answer's, except for declared patches. */
  readonly isRelayed: boolean;
  request(): LaneRequest | Failure | Promise<LaneRequest | Failure>;
  /** Decodes a whole answer. A large one may be decoded in slices, asynchronously. */
  answer(bytes: Uint8Array, headers: AnswerHeaders): WholeResponse | Failure | Promise<WholeResponse | Failure>;
  /** Joins the answers to all requests, in their order. Absent if `LaneRequest.more` is never set. */
  answers?(parts: readonly AnswerPart[]): Promise<WholeResponse | Failure>;
  /**
   * Returns the next poll of a job that the upstream still works on, `null` if the answer is the result, or a failure if the job has
   * failed. Absent if every answer is the result.
   */
  next?(answer: AnswerPart): NextRequest | null | Failure;
  /**
   * Called with the upstream's answer, before it is read, if further requests to the same target may follow from it. Returns the answer to
   * read instead. Absent if one request gives the whole answer.
   */
  continued?(first: UpstreamAnswer, further: FurtherRounds): UpstreamAnswer;
  /** Makes the stream for an upstream's answer with these headers. Absent if the operation or this upstream has no streams. */
  stream?(headers: AnswerHeaders): S | Failure;
  /** Turns a whole JSON answer to a streaming request into a stream. */
  streamOfWhole?(bytes: Uint8Array, headers: AnswerHeaders): KnownStream<S> | Failure;
  /**
   * Turns the answer into a stream for a client that asked for one, if the upstream has none (`stream` is absent) or has sent a whole
   * answer and `streamOfWhole` is absent.
   */
  streamOfAnswer?(answer: WholeResponse): KnownStream<S>;
}
