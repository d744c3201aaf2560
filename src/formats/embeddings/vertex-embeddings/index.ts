import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { ruleModelOf } from '../../wire.ts';
import type { EmbeddingWire } from '../wire.ts';
import { encodeRequest } from './request.ts';
import { decodeAnswer } from './response.ts';

/** Vertex AI's `predict` for text embeddings (Google Cloud, "Text embeddings API"). */
export const vertexEmbeddings: EmbeddingWire = {
  name: 'vertex-embeddings',
  operations: ['embeddings'],
  // "250 input texts" and "20,000 tokens" per request; `gemini-embedding-001` accepts one text.
  boundsOf: (target) => ({
    mostInputs: ruleModelOf(target).startsWith('gemini-embedding') ? 1 : 250,
    mostTokens: 20_000,
  }),
  encodeRequest,
  decodeAnswer,
  decodeFailure,
};
