import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import type { EmbeddingWire } from '../wire.ts';
import { encodeRequest } from './request.ts';
import { decodeAnswer } from './response.ts';

/** Gemini's `batchEmbedContents` (its published document), used even for a single text, so that there is one shape. */
export const geminiEmbeddings: EmbeddingWire = {
  name: 'gemini-embeddings',
  operations: ['embeddings'],
  // The API refuses more: "at most 100 requests can be in one batch".
  boundsOf: () => ({ mostInputs: 100 }),
  encodeRequest,
  decodeAnswer,
  decodeFailure,
};
