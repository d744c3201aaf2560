import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import type { EmbeddingWire } from '../wire.ts';
import { encodeRequest } from './request.ts';
import { decodeAnswer } from './response.ts';

/** Jina's `POST /v1/embeddings` (its published document): an answer like OpenAI's, and its own request format. */
export const jinaEmbeddings: EmbeddingWire = {
  name: 'jina-embeddings',
  operations: ['embeddings'],
  // The document limits lists of inputs to 512 elsewhere (classifiers, training), but states no limit here.
  boundsOf: () => ({ mostInputs: 512 }),
  encodeRequest,
  decodeAnswer,
  decodeFailure,
};
