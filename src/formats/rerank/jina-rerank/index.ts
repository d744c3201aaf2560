import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import type { RerankWire } from '../wire.ts';
import { encodeRequest } from './request.ts';
import { decodeAnswer } from './response.ts';

/**
 * Jina's rerank (its published document, `/v1/rerank`). The contract's POST /v1/rerank has the same members, and vLLM, llama.cpp,
 * Infinity, Together and OpenRouter speak it.
 */
export const jinaRerank: RerankWire = {
  name: 'jina-rerank',
  operations: ['rerank'],
  encodeRequest,
  decodeAnswer,
  decodeFailure,
};
