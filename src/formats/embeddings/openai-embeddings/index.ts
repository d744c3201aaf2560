import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import type { EmbeddingWire } from '../wire.ts';
import { encodeRequest } from './request.ts';
import { decodeAnswer } from './response.ts';

/** OpenAI's embeddings: the contract's POST /v1/embeddings, and the format of most servers of such models. */
export const openaiEmbeddings: EmbeddingWire = {
  name: 'openai-embeddings',
  operations: ['embeddings'],
  isClients: true,
  boundsOf: ({ embeddings }) => embeddings ?? {},
  encodeRequest,
  decodeAnswer,
  decodeFailure,
};
