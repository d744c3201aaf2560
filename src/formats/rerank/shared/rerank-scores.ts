import type { Failure } from '../../../domain/failure/failure.ts';
import type { RerankRequest } from '../../../domain/rerank/rerank.ts';
import { bodyNoAnswer, garbage } from '../../shared/failure/answer-failure.ts';
import { failureInAnswer } from '../../shared/failure/error-in-answer.ts';
import { isRecord, objectOf } from '../../shared/json/record.ts';

/** How far rounding may push a score below 0 or above 1. */
const ROUNDING = 1e-3;

/** One score per document, in order; `null` for a document that the answer leaves out. */
export type Scores = readonly (number | null)[];

/**
 * Returns the scores of an upstream's results as it gives them, in the order of the documents. A server may leave out documents
 * that it finds irrelevant, or beyond its own limit. Fails if there is no result, or if a document has two scores or one that is
 * not finite. `members` are the names under which a result may have its score; the first one present counts.
 */
export function scoresIn(
  items: readonly unknown[],
  { documents: { length: documents } }: Pick<RerankRequest, 'documents'>,
  ...members: readonly string[]
): Scores | Failure {
  if (items.length > documents || items.length === 0) {
    return garbage(`The upstream returned ${items.length} results for ${documents} documents.`);
  }
  const scores = new Array<number | null>(documents).fill(null);
  for (const item of items) {
    const result = objectOf(item);
    const { index } = result;
    const score = members.map((member) => result[member]).find((value) => value !== undefined);
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= documents) {
      return garbage('The upstream returned a result without a document index.');
    }
    if (scores[index] !== null) return garbage('The upstream returned two results for one document.');
    if (typeof score !== 'number' || !Number.isFinite(score)) {
      return garbage('The upstream returned a result whose score is not a number.');
    }
    scores[index] = score;
  }
  return scores;
}

/**
 * Returns scores from 0 to 1. If all scores of an answer are within these bounds they stay unchanged; otherwise they are logits,
 * and each becomes its sigmoid, which preserves their order.
 */
export function unitScores(scores: Scores): Scores {
  const areUnits = scores.every((score) => score === null || (score >= -ROUNDING && score <= 1 + ROUNDING));
  return mapped(scores, areUnits ? (score) => Math.min(1, Math.max(0, score)) : sigmoid);
}

/** Maps similarities from -1 to 1, such as cosines, to scores from 0 to 1. */
export function scoresOfCosines(cosines: Scores): Scores {
  return mapped(cosines, (cosine) => Math.min(1, Math.max(0, (cosine + 1) / 2)));
}

function mapped(scores: Scores, change: (score: number) => number): Scores {
  return scores.map((score) => (score === null ? null : change(score)));
}

function sigmoid(logit: number): number {
  return 1 / (1 + Math.exp(-logit));
}

/** Returns why a 200 body has no list of results: its error if it has one, otherwise that it is not an answer. */
export function failureOfNoResults(value: unknown): Failure {
  if (!isRecord(value)) return bodyNoAnswer();
  const { error, message, detail } = value;
  return failureInAnswer(error) ?? failureInAnswer(message || detail ? value : null) ?? bodyNoAnswer();
}
