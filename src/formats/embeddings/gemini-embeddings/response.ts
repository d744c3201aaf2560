import type { EmbeddingAnswer, EmbeddingRequest } from '../../../domain/embeddings/embeddings.ts';
import type { Failure } from '../../../domain/failure/failure.ts';
import { isRecord } from '../../shared/json/record.ts';
import { type AnswerShape, decodeItems, tokenCount } from '../shared/embedding-items.ts';
import { numbersIn } from '../shared/vector-text.ts';

/** The published document has no usage; the counts of newer models are read. */
const SHAPE: AnswerShape = {
  list: 'embeddings',
  // `embedContent` answers one text without a list, and a proxy may offer nothing else.
  only: 'embedding',
  vectorOf: ({ values }) => numbersIn(values),
  tokensOf: ({ usageMetadata }) => (isRecord(usageMetadata) ? tokenCount(usageMetadata.promptTokenCount) : null),
};

export async function decodeAnswer(bytes: Uint8Array, request: EmbeddingRequest): Promise<EmbeddingAnswer | Failure> {
  return await decodeItems(bytes, request, SHAPE);
}
