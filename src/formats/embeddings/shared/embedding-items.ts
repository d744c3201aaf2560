import {
  countOfInputs,
  type EmbeddingAnswer,
  type EmbeddingRequest,
  type EmbeddingVector,
} from '../../../domain/embeddings/embeddings.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { bodyNoAnswer, garbage } from '../../shared/failure/answer-failure.ts';
import { failureInAnswer } from '../../shared/failure/error-in-answer.ts';
import { isRecord, objectOf } from '../../shared/json/record.ts';
import { type ReadItem, readMembers } from './embedding-members.ts';

/* Decodes answers with a list of objects, one for each vector, as most embedding providers write them. */

/** The member names of one provider's answers. */
export interface AnswerShape {
  /** The name of the list of vectors; `data` if absent. */
  readonly list?: string;
  /** The member with the only vector of an answer that has no list; absent if every answer has one. */
  readonly only?: string;
  /** Returns the vector of an item; `null` if it has none. */
  vectorOf(item: Readonly<Record<string, unknown>>): EmbeddingVector | null;
  /** Returns the tokens of all inputs; `null` if the provider reports none. */
  tokensOf(values: Readonly<Record<string, unknown>>, items: readonly ReadItem[]): number | null;
}

/** Decodes a body of this shape: in the order of the items' indexes, or in their own order if they have none. */
export async function decodeItems(
  bytes: Uint8Array,
  request: EmbeddingRequest,
  shape: AnswerShape,
): Promise<EmbeddingAnswer | Failure> {
  const read = await readMembers(bytes, shape.list);
  if (read === null) return garbage('The upstream answered 200 with a body that is not a JSON object.');
  const { values } = read;
  const found = read.items ?? onlyItem(values, shape);
  if (found === null) return noVectors(values);
  const items = orderedItems(found, countOfInputs(request.inputs));
  if (items instanceof Failure) return items;
  const vectors: EmbeddingVector[] = [];
  for (const { value } of items) {
    const vector = shape.vectorOf(value);
    if (vector === null) return garbage('The upstream returned an invalid vector.');
    vectors.push(vector);
  }
  const model = typeof values.model === 'string' ? values.model : null;
  return { vectors, tokens: shape.tokensOf(values, items), model };
}

function onlyItem(values: Readonly<Record<string, unknown>>, { only }: AnswerShape): readonly ReadItem[] | null {
  const value = only === undefined ? null : values[only];
  return isRecord(value) ? [{ value, start: 0, end: 0 }] : null;
}

/**
 * Returns a reported number of tokens; `null` for zero, which some servers write for an unknown number, and for anything else.
 */
export function tokenCount(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null;
}

/** Returns the failure of an answer without a list of vectors: its error if it has one, else that it is not an answer. */
export function noVectors(values: Readonly<Record<string, unknown>>): Failure {
  return failureInAnswer(values.error) ?? failureInAnswer(errorItself(values)) ?? bodyNoAnswer();
}

function errorItself(values: Readonly<Record<string, unknown>>): unknown {
  return values.message || values.detail ? values : null;
}

/**
 * Returns the items in the order of their indexes, each of which must occur once; in the order of the answer if no item has one.
 */
export function orderedItems(items: readonly ReadItem[], count: number): readonly ReadItem[] | Failure {
  if (items.length !== count) {
    return garbage(`The upstream returned ${items.length} vectors for ${count} inputs.`);
  }
  if (items.every(({ value }) => value.index === undefined)) return items;
  const places: ReadItem[] = [];
  for (const item of items) {
    const { index } = item.value;
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= count || index in places) {
      return garbage('The upstream did not return exactly one vector per input.');
    }
    places[index] = item;
  }
  return places;
}

/** Returns `null` for a count of zero, because some servers write zeros for unknown values. */
export function reportedTokens(usage: unknown): number | null {
  const { prompt_tokens: prompt, total_tokens: total } = objectOf(usage);
  return tokenCount(prompt) ?? tokenCount(total);
}
