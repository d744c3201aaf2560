import type { EmbeddingAnswer, EmbeddingRequest, EmbeddingVector } from '../../../domain/embeddings/embeddings.ts';
import type { Failure } from '../../../domain/failure/failure.ts';
import type { AnswerHeaders } from '../../../domain/http/answer-headers.ts';
import { bodyNotJson, garbage } from '../../shared/failure/answer-failure.ts';
import { parseJson } from '../../shared/json/json-text.ts';
import { Turns } from '../../shared/json/large-json.ts';
import { isRecord } from '../../shared/json/record.ts';
import { noVectors, tokenCount } from '../shared/embedding-items.ts';
import { numbersIn } from '../shared/vector-text.ts';

/**
 * Decodes vectors by type (`embeddings.float`), and the bare list of older versions. 96 vectors have at most two or three
 * megabytes, which are parsed at once.
 */
export async function decodeAnswer(
  bytes: Uint8Array,
  _request: EmbeddingRequest,
  headers: AnswerHeaders,
): Promise<EmbeddingAnswer | Failure> {
  const answer = parseJson(new TextDecoder().decode(bytes));
  if (!isRecord(answer)) return bodyNotJson();
  const { embeddings } = answer;
  const list = isRecord(embeddings) ? embeddings.float : embeddings;
  if (!Array.isArray(list)) return noVectors(answer);
  const turns = new Turns();
  const vectors: EmbeddingVector[] = [];
  for (const item of list) {
    const vector = numbersIn(item);
    if (vector === null) return garbage('The upstream returned an invalid vector.');
    vectors.push(vector);
    if (turns.isOver) await turns.next();
  }
  return { vectors, tokens: billedTokens(answer.meta) ?? bedrockTokens(headers), model: null };
}

/** Returns the billed tokens; `meta.tokens`, if present, also counts the tokenizer's special tokens. */
function billedTokens(meta: unknown): number | null {
  const billed = isRecord(meta) && isRecord(meta.billed_units) ? meta.billed_units : {};
  return tokenCount(billed.input_tokens);
}

function bedrockTokens(headers: AnswerHeaders): number | null {
  return tokenCount(Number(headers.get('x-amzn-bedrock-input-token-count')));
}
