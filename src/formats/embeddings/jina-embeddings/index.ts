import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import type { EmbeddingWire } from '../../wire.ts';
import { encodeRequest } from './request.ts';
import { decodeAnswer } from './response.ts';

/** Jina's `POST /v1/embeddings` (its published document): OpenAI's answer, and a request of its own. */
export const jinaEmbeddings: EmbeddingWire = {
  name: 'jina-embeddings',
  operations: ['embeddings'],
  // The document bounds lists of inputs elsewhere (classifiers, training) by 512, and says nothing of this one.
  boundsOf: () => ({ mostInputs: 512 }),
  encodeRequest,
  decodeAnswer,
  decodeFailure,
};
