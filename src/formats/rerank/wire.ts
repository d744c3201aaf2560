import type { Failure } from '../../domain/failure/failure.ts';
import type { AnswerHeaders } from '../../domain/http/answer-headers.ts';
import type { RerankAnswer, RerankRequest } from '../../domain/rerank/rerank.ts';
import type { EncodedBody, OperationWire, WireTarget } from '../wire.ts';

/** A wire for reranking documents by their relevance to a query. */
export interface RerankWire extends OperationWire {
  /**
   * How many documents one request may hold, at least 1; more are sent in further requests, one after the other. Absent if the
   * limit is no lower than a client's. Only for wires whose score of a document does not depend on the others.
   */
  readonly mostDocuments?: number;
  encodeRequest(request: RerankRequest, target: WireTarget): EncodedBody | Failure;
  /** Returns a failure unless every document has exactly one score. */
  decodeAnswer(
    bytes: Uint8Array,
    request: RerankRequest,
    target: WireTarget,
    headers: AnswerHeaders,
  ): RerankAnswer | Failure;
}
