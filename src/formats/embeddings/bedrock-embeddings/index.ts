import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import type { EmbeddingWire } from '../wire.ts';
import { encodeRequest } from './request.ts';
import { decodeAnswer } from './response.ts';

/**
 * Amazon Titan's embeddings over Bedrock's `InvokeModel` (Bedrock user guide, "Amazon Titan Embeddings"): one text per request.
 */
export const bedrockEmbeddings: EmbeddingWire = {
  name: 'bedrock-embeddings',
  operations: ['embeddings'],
  // `inputText` holds one text.
  boundsOf: () => ({ mostInputs: 1 }),
  encodeRequest,
  decodeAnswer,
  decodeFailure,
};
