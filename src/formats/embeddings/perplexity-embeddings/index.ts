import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import type { EmbeddingWire } from '../wire.ts';
import { encodeRequest } from './request.ts';
import { decodeAnswer } from './response.ts';

/**
 * Perplexity's `POST /v1/embeddings` (docs.perplexity.ai, "Create Embeddings"): an answer like OpenAI's, with vectors of signed
 * bytes.
 */
export const perplexityEmbeddings: EmbeddingWire = {
  name: 'perplexity-embeddings',
  operations: ['embeddings'],
  // "Maximum 512 texts per request."
  boundsOf: () => ({ mostInputs: 512 }),
  encodeRequest,
  decodeAnswer,
  decodeFailure,
};
