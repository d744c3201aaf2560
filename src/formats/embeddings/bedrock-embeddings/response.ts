import type { EmbeddingAnswer, EmbeddingRequest } from '../../../domain/embeddings/embeddings.ts';
import type { Failure } from '../../../domain/failure/failure.ts';
import { bodyNotJson, garbage } from '../../shared/failure/answer-failure.ts';
import { parseJson } from '../../shared/json/json-text.ts';
import { isRecord } from '../../shared/json/record.ts';
import { noVectors, tokenCount } from '../shared/embedding-items.ts';
import { numbersIn } from '../shared/vector-text.ts';

export async function decodeAnswer(bytes: Uint8Array, _request: EmbeddingRequest): Promise<EmbeddingAnswer | Failure> {
  const answer = parseJson(new TextDecoder().decode(bytes));
  if (!isRecord(answer)) return bodyNotJson();
  const { embeddings, inputTextTokenCount } = answer;
  // A list of vectors is Cohere's answer; the ARN of its profile does not reveal the model.
  const embedding = answer.embedding ?? (Array.isArray(embeddings) && embeddings.length === 1 ? embeddings[0] : null);
  if (embedding === undefined || embedding === null) return noVectors(answer);
  const vector = numbersIn(embedding);
  if (vector === null) return garbage('The upstream returned an invalid vector.');
  return { vectors: [vector], tokens: tokenCount(inputTextTokenCount), model: null };
}
