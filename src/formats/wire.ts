import type { LimitReport } from '../domain/access/limit-report.ts';
import type { ModelOperation } from '../domain/catalog/model-operation.ts';
import type { EmbeddingAnswer, EmbeddingRequest } from '../domain/embeddings/embeddings.ts';
import type { Loss } from '../domain/exchange/loss.ts';
import type { Failure } from '../domain/failure/failure.ts';

/** What an upstream speaks at one of its endpoints, whatever it is asked for there. */
export interface Wire {
  /** Such as `openai-chat` or `openai-embeddings`. */
  readonly name: string;
  /**
   * It says so much less than any other that nobody else's request is translated into it: what its own clients send is relayed,
   * always, and the gateway itself asks in it when it tests a channel. Not every server has it, whatever its provider documents.
   */
  readonly relayOnly?: true;
  /** An upstream's error answer as a failure; the message is the upstream's, cleaned of secrets. */
  decodeFailure(status: number, headers: Headers, bytes: Uint8Array): Failure;
}

/** One of an operation that is none of texts. */
export interface OperationWire extends Wire {
  /** What is asked for over it; a model whose operations hold this is reached so. */
  readonly operation: ModelOperation;
}

/** A member of the wire's requests that a provider names otherwise; `null` where it has none and takes no other either. */
export type OwnMembers = Readonly<Record<string, string | null>>;

/** Whom a request is written for. */
export interface WireTarget {
  readonly upstreamModel: string;
  readonly members?: OwnMembers;
}

export interface EncodedBody {
  readonly body: Uint8Array<ArrayBuffer>;
  /** What of the client's request did not get in. */
  readonly losses: readonly Loss[];
}

/** One over which texts are embedded: what a client asks for in the words of an upstream, and the answer in nobody's. */
export interface EmbeddingWire extends OperationWire {
  readonly operation: 'embeddings';
  /** What the gateway's own clients speak: their bytes go up, and the answer's come back, but for declared patches. */
  readonly isClients?: true;
  encodeRequest(request: EmbeddingRequest, target: WireTarget): EncodedBody | Failure;
  /** A failure where the vectors are not those of the inputs: too few, of another length, with numbers that are none. */
  decodeAnswer(bytes: Uint8Array, request: EmbeddingRequest): Promise<EmbeddingAnswer | Failure>;
}

/** How clients of an endpoint name themselves, and how they are told what every answer tells. */
export interface Envelope {
  /** As the request log names it, such as `openai-chat`. */
  readonly name: string;
  /** The key (contract, Authentication) without `Bearer`, first where these clients send it; `null` if there is none. */
  secret(headers: Headers, url: string): string | null;
  /** The header in which their SDKs look for the request's id, where it is not `x-request-id`. */
  readonly requestIdHeader?: string;
  /** The header with the milliseconds until the answer began, where their API has one. */
  readonly processingHeader?: string;
  /** Adds what their API says of limits in headers; absent where it says nothing. `nowMs` is in milliseconds since 1970. */
  limitHeaders?(report: LimitReport, headers: Record<string, string>, nowMs: number): void;
  /** `requestId`: the one that the answer's headers say. */
  encodeFailure(failure: Failure, requestId?: string): RenderedFailure;
}

export interface RenderedFailure {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
