import type { LimitReport } from '../domain/access/limit-report.ts';
import type { ModelOperation } from '../domain/catalog/model-operation.ts';
import type { EmbeddingAnswer, EmbeddingRequest } from '../domain/embeddings/embeddings.ts';
import type { Loss } from '../domain/exchange/loss.ts';
import type { Failure } from '../domain/failure/failure.ts';
import type { RerankAnswer, RerankRequest } from '../domain/rerank/rerank.ts';

/** The protocol of one upstream endpoint, for whichever operation. */
export interface Wire {
  /** Such as `openai-chat` or `openai-embeddings`. */
  readonly name: string;
  /**
   * The format expresses so much less than the others that no other format's request is translated into it. Requests of its
   * own clients are always relayed, and the gateway uses it when it tests a channel. Not every server has the endpoint, even
   * if its provider documents it.
   */
  readonly relayOnly?: true;
  /** An upstream's error answer as a failure; the message is the upstream's, cleaned of secrets. */
  decodeFailure(status: number, headers: Headers, bytes: Uint8Array): Failure;
}

/** The wire of an operation other than text generation. */
export interface OperationWire extends Wire {
  /** The operation that the wire serves. A model can be reached over it if the model's operations include this one. */
  readonly operation: ModelOperation;
}

/**
 * The provider's own names for members of the wire's requests; `null` where it has no such member and accepts no other name.
 */
export type OwnMembers = Readonly<Record<string, string | null>>;

/** The provider and model that a request is written for. */
export interface WireTarget {
  readonly upstreamModel: string;
  readonly members?: OwnMembers;
}

export interface EncodedBody {
  readonly body: Uint8Array<ArrayBuffer>;
  /** The parts of the client's request that could not be encoded. */
  readonly losses: readonly Loss[];
}

/** A wire for embeddings: encodes a client's request for an upstream, and decodes the answer into the canonical form. */
export interface EmbeddingWire extends OperationWire {
  readonly operation: 'embeddings';
  /**
   * The gateway's own clients speak this wire: their bytes are relayed, and so are the answer's, except for declared
   * patches.
   */
  readonly isClients?: true;
  /**
   * How many inputs one request to this model may have, at least 1: more are sent in further requests, one after the other.
   * Absent where it may have as many as a client's.
   */
  mostInputs?(upstreamModel: string): number;
  encodeRequest(request: EmbeddingRequest, target: WireTarget): EncodedBody | Failure;
  /** Fails where the vectors do not match the inputs: too few, of different lengths, or with values that are not numbers. */
  decodeAnswer(bytes: Uint8Array, request: EmbeddingRequest, headers: Headers): Promise<EmbeddingAnswer | Failure>;
}

/** A wire for reranking documents by their relevance to a query. */
export interface RerankWire extends OperationWire {
  readonly operation: 'rerank';
  /**
   * How many documents one request may have, at least 1: more are sent in further requests, one after the other. Absent
   * where it may have as many as a client's. Only for wires whose score of a document does not depend on the others.
   */
  readonly mostDocuments?: number;
  encodeRequest(request: RerankRequest, target: WireTarget): EncodedBody | Failure;
  /** Returns a failure unless every document has exactly one score. */
  decodeAnswer(bytes: Uint8Array, request: RerankRequest, target: WireTarget, headers: Headers): RerankAnswer | Failure;
}

/** How an endpoint's clients authenticate, and how the members common to all answers are written for them. */
export interface Envelope {
  /** The name in the request log, such as `openai-chat`. */
  readonly name: string;
  /**
   * The key (contract, Authentication) without `Bearer`. The place where these clients usually send it is read first; `null`
   * if there is none.
   */
  secret(headers: Headers, url: string): string | null;
  /** The header in which their SDKs look for the request's id, where it is not `x-request-id`. */
  readonly requestIdHeader?: string;
  /** The header with the milliseconds until the answer began, where their API has one. */
  readonly processingHeader?: string;
  /**
   * Adds the headers in which their API reports limits; absent where the API has none. `nowMs` is in milliseconds since
   * 1970.
   */
  limitHeaders?(report: LimitReport, headers: Record<string, string>, nowMs: number): void;
  /** `requestId` is the id in the answer's headers. */
  encodeFailure(failure: Failure, requestId?: string): RenderedFailure;
}

export interface RenderedFailure {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
