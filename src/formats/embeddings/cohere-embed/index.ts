import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import type { EmbeddingWire } from '../wire.ts';
import { encodeRequest } from './request.ts';
import { decodeAnswer } from './response.ts';

/** Cohere's `POST /v2/embed` (docs.cohere.com, "Embed API (v2)"). */
export const cohereEmbed: EmbeddingWire = {
  name: 'cohere-embed',
  operations: ['embeddings'],
  // "Maximum number of texts per call is 96."
  boundsOf: () => ({ mostInputs: 96 }),
  encodeRequest,
  decodeAnswer,
  decodeFailure,
};
