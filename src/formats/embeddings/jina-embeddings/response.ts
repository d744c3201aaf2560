import type { EmbeddingAnswer, EmbeddingRequest } from '../../../domain/embeddings/embeddings.ts';
import type { Failure } from '../../../domain/failure/failure.ts';
import { type AnswerShape, decodeItems, reportedTokens } from '../shared/embedding-items.ts';
import { floatsIn, numbersIn } from '../shared/vector-text.ts';

const SHAPE: AnswerShape = {
  vectorOf: ({ embedding }) => floatsIn(embedding) ?? numbersIn(embedding),
  tokensOf: ({ usage }) => reportedTokens(usage),
};

export async function decodeAnswer(bytes: Uint8Array, request: EmbeddingRequest): Promise<EmbeddingAnswer | Failure> {
  return await decodeItems(bytes, request, SHAPE);
}
