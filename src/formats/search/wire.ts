import type { Failure } from '../../domain/failure/failure.ts';
import type { SearchRequest, SearchResult } from '../../domain/search/search.ts';
import type { OperationWire, WireRequest } from '../wire.ts';

/** A wire for web searches. */
export interface SearchWire extends OperationWire {
  /** `GET` if the whole request is in the address. */
  readonly method: 'GET' | 'POST';
  encodeRequest(request: SearchRequest, nowMs: number): WireRequest;
  /** Returns a failure if the answer has no list of results. An empty list is a result, too. */
  decodeAnswer(bytes: Uint8Array, request: SearchRequest): readonly SearchResult[] | Failure;
}
