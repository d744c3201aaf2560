import type { EmbeddingAnswer, EmbeddingRequest } from '../../../domain/embeddings/embeddings.ts';
import type { Failure } from '../../../domain/failure/failure.ts';
import { type AnswerShape, decodeItems, reportedTokens } from '../shared/embedding-items.ts';
import { signedBytesIn } from '../shared/vector-text.ts';

const SHAPE: AnswerShape = {
  vectorOf: ({ embedding }) => signedBytesIn(embedding),
  tokensOf: ({ usage }) => reportedTokens(usage),
};

/**
 * Decodes each byte as a number from -128 to 127, as Perplexity documents it and its SDKs do. The vectors do not have unit length
 * and are compared by cosine similarity.
 */
export async function decodeAnswer(bytes: Uint8Array, request: EmbeddingRequest): Promise<EmbeddingAnswer | Failure> {
  return await decodeItems(bytes, request, SHAPE);
}
