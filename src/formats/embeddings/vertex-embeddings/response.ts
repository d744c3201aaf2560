import type { EmbeddingAnswer, EmbeddingRequest } from '../../../domain/embeddings/embeddings.ts';
import type { Failure } from '../../../domain/failure/failure.ts';
import { isRecord } from '../../shared/json/record.ts';
import { type AnswerShape, decodeItems, tokenCount } from '../shared/embedding-items.ts';
import { numbersIn } from '../shared/vector-text.ts';

const SHAPE: AnswerShape = {
  list: 'predictions',
  vectorOf: ({ embeddings }) => (isRecord(embeddings) ? numbersIn(embeddings.values) : null),
  tokensOf: (_values, items) => items.reduce<number | null>((sum, { value }) => plus(sum, tokensOf(value)), 0),
};

export async function decodeAnswer(bytes: Uint8Array, request: EmbeddingRequest): Promise<EmbeddingAnswer | Failure> {
  return await decodeItems(bytes, request, SHAPE);
}

/** Returns the tokens of one text, which are counted separately. */
function tokensOf({ embeddings }: Readonly<Record<string, unknown>>): number | null {
  const statistics = isRecord(embeddings) ? embeddings.statistics : null;
  return isRecord(statistics) ? tokenCount(statistics.token_count) : null;
}

function plus(sum: number | null, tokens: number | null): number | null {
  return sum === null || tokens === null ? null : sum + tokens;
}
