import type { EmbeddingAnswer, EmbeddingBounds, EmbeddingRequest } from '../../domain/embeddings/embeddings.ts';
import type { Failure } from '../../domain/failure/failure.ts';
import type { AnswerHeaders } from '../../domain/http/answer-headers.ts';
import type { EncodedBody, OperationWire, WireTarget } from '../wire.ts';

/** A wire for embeddings: encodes a client's request for an upstream, and decodes the response into the canonical form. */
export interface EmbeddingWire extends OperationWire {
  /** The gateway's own clients speak this wire: requests and responses are relayed byte for byte, except for declared patches. */
  readonly isClients?: true;
  /** Returns how much one request to this model may hold; the rest goes into further requests. Absent if there is no bound. */
  boundsOf?(target: EmbeddingTarget): EmbeddingBounds;
  encodeRequest(request: EmbeddingRequest, target: EmbeddingTarget): EncodedBody | Failure;
  /** Fails if the vectors do not match the inputs: too few, of different lengths, or with values that are not numbers. */
  decodeAnswer(
    bytes: Uint8Array,
    request: EmbeddingRequest,
    headers: AnswerHeaders,
  ): Promise<EmbeddingAnswer | Failure>;
}

export interface EmbeddingTarget extends WireTarget {
  /** Used by the wire `openai-embeddings`: the traits for this model. */
  readonly embeddings?: EmbeddingTraits;
}

/** How a server with OpenAI's embeddings API differs from one about which nothing is known. */
export interface EmbeddingTraits extends EmbeddingBounds {
  /** The upstream models that this applies to; absent means all. */
  readonly models?: RegExp;
  /**
   * The server is known to read `encoding_format` and can return vectors in base64, which many SDKs request by default. The
   * member is not sent to any other server, which may refuse it; the gateway converts the vectors to the encoding that the client
   * wants.
   */
  readonly hasBase64?: true;
  /** The server takes no lists of token ids. */
  readonly isTextOnly?: true;
}
