import { decodeFailure } from '../shared/upstream-failure.ts';
import type { EmbeddingWire } from '../wire.ts';
import { encodeRequest } from './request.ts';
import { decodeAnswer } from './response.ts';

/** Vertex AI's `predict` for embeddings of texts (Google Cloud, "Text embeddings API"). */
export const vertexEmbeddings: EmbeddingWire = {
  name: 'vertex-embeddings',
  operations: ['embeddings'],
  // "250 input texts in one request"; `gemini-embedding-001` takes one.
  mostInputs: (model) => (model.startsWith('gemini-embedding') ? 1 : 250),
  encodeRequest,
  decodeAnswer,
  decodeFailure,
};
