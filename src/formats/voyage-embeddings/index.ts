import { decodeFailure } from '../shared/upstream-failure.ts';
import type { EmbeddingWire } from '../wire.ts';
import { encodeRequest } from './request.ts';
import { decodeAnswer } from './response.ts';

/** Voyage's `POST /v1/embeddings` (docs.voyageai.com, "Text embeddings API"): OpenAI's answer, and a request of its own. */
export const voyageEmbeddings: EmbeddingWire = {
  name: 'voyage-embeddings',
  operations: ['embeddings'],
  // "The maximum length of the list is 1,000."
  mostInputs: () => 1_000,
  encodeRequest,
  decodeAnswer,
  decodeFailure,
};
