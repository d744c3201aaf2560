import type { LimitReport } from '../domain/access/limit-report.ts';
import type { ModelOperation } from '../domain/catalog/model-operation.ts';
import type { Loss } from '../domain/exchange/loss.ts';
import type { WrittenRouting } from '../domain/exchange/routing-info.ts';
import type { Failure } from '../domain/failure/failure.ts';
import type { AnswerHeaders } from '../domain/http/answer-headers.ts';
import type { PiecedBody } from '../domain/media/pieced-body.ts';

/** The protocol of one upstream endpoint, for any operation. */
export interface Wire {
  /** The wire's name, such as `openai-chat` or `openai-embeddings`. */
  readonly name: string;
  /**
   * The format expresses so little that requests of other formats are never translated into it. Requests of its own clients are
   * always relayed, and the gateway uses it when it tests a channel. Not every server has the endpoint, even if its provider
   * documents it.
   */
  readonly relayOnly?: true;
  /** Decodes an upstream's error response into a failure. The message is the upstream's, cleaned of secrets. */
  decodeFailure(status: number, headers: AnswerHeaders, bytes: Uint8Array): Failure;
}

/** The wire of an operation other than text generation. */
export interface OperationWire extends Wire {
  /** The operations that the wire serves. A model is reachable over it for those that the model also has. */
  readonly operations: readonly ModelOperation[];
}

/** The provider's own names for members of the wire's requests; `null` for a member that it does not have under any name. */
export type OwnMembers = Readonly<Record<string, string | null>>;

/** The model that a request is written for. */
export interface TargetModel {
  readonly upstreamModel: string;
  /**
   * The id that rules about models match against: the catalog's id, if the upstream's id is a deployment, an alias or an ARN that does
   * not reveal the model. Absent if it equals the upstream's id.
   */
  readonly ruleModel?: string;
}

/** Returns the model id that rules match against. It must never be sent. */
export function ruleModelOf({ upstreamModel, ruleModel }: TargetModel): string {
  return ruleModel ?? upstreamModel;
}

/** The provider and model that a request is written for. Operations whose providers differ in more have a target of their own. */
export interface WireTarget extends TargetModel {
  readonly members?: OwnMembers;
}

export interface EncodedBody {
  readonly body: Uint8Array<ArrayBuffer>;
  /** The parts of the client's request that could not be encoded. */
  readonly losses: readonly Loss[];
}

/** A request to an upstream, before it is signed. */
export interface WireRequest {
  readonly body: Uint8Array<ArrayBuffer> | PiecedBody | null;
  /** Override the target's own headers, such as the `content-type` of a form. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Appended to the target's URL, such as `/alloy?output_format=mp3`; already percent-encoded. */
  readonly suffix?: string;
  /** The parts of the client's request that could not be encoded. */
  readonly losses: readonly Loss[];
}

/** A complete upstream response with a 2xx status. */
export interface WireAnswer {
  readonly bytes: Uint8Array;
  readonly headers: AnswerHeaders;
}

/** The next poll of an upstream that has accepted the job but not finished it. */
export interface NextRequest {
  readonly method: 'GET' | 'POST';
  /**
   * A path below the channel's base address, starting with `/`, or an absolute URL from the upstream. If that URL's host belongs
   * to another domain, the request goes to the channel's own address instead. `null` repeats the last URL.
   */
  readonly url: string | null;
  /** How long to wait before sending it. */
  readonly afterMs: number;
  readonly body: Uint8Array<ArrayBuffer> | null;
}

/** A wire for upstreams that process a job and are polled until it is done. */
export interface PolledWire {
  /** Returns what to request after this answer; `null` if it holds the result; a failure if the job has failed. */
  next?(answer: WireAnswer, target: WireTarget): NextRequest | null | Failure;
}

/** A wire that merges a client's `provider_options` into the body that it writes. */
export interface OptionsWire {
  /**
   * The names of `provider_options` that neither raise a request's cost nor touch resources of the channel's owner. On a channel
   * that accounts share, all other options are refused.
   */
  readonly harmlessOptions?: readonly string[];
}

/** The changes that the gateway makes to an answer on the relay lane. All other bytes stay the same. */
export interface AnswerPatch {
  readonly publicModel: string;
  /** The contract's `_routing` object. */
  readonly routing: WrittenRouting;
}

/** How an endpoint's clients authenticate, and how the members common to all answers are written for them. */
export interface Envelope {
  /** The name in the request log, such as `openai-chat`. */
  readonly name: string;
  /**
   * Returns the key (contract, Authentication) without `Bearer`; `null` if none exists. The place where these clients usually
   * send it is read first.
   */
  secret(headers: AnswerHeaders, url: string): string | null;
  /** The header in which their SDKs look for the request id, if it is not `x-request-id`. */
  readonly requestIdHeader?: string;
  /** The header with the milliseconds until the answer began, if their API has one. */
  readonly processingHeader?: string;
  /**
   * Adds the headers in which their API reports limits; absent if the API has none. `nowMs` is in milliseconds since
   * 1970.
   */
  limitHeaders?(report: LimitReport, headers: Record<string, string>, nowMs: number): void;
  /** Encodes a failure; `requestId` is the id in the response headers. */
  encodeFailure(failure: Failure, requestId?: string): RenderedFailure;
}

export interface RenderedFailure {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
