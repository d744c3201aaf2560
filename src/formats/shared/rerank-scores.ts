import type { Failure } from '../../domain/failure/failure.ts';
import { bodyNoAnswer, garbage } from './answer-failure.ts';
import { failureInAnswer } from './error-in-answer.ts';
import { isRecord } from './record.ts';

/** How far a score may be beyond 0 or 1 because of the precision in which it was computed. */
const ROUNDING = 1e-3;

/**
 * The scores of an upstream's list of results, in the order of the documents and as the upstream gives them. A failure where
 * not every document has exactly one score, a finite number. `member`: where a result has its score.
 */
export function scoresIn(items: readonly unknown[], documents: number, member: string): readonly number[] | Failure {
  if (items.length !== documents) {
    return garbage(`The upstream gave ${items.length} results for ${documents} documents.`);
  }
  const scores = new Array<number | undefined>(documents);
  for (const item of items) {
    const { index, [member]: score } = isRecord(item) ? item : {};
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= documents) {
      return garbage('The upstream gave a result without the index of a document.');
    }
    if (scores[index] !== undefined) return garbage('The upstream gave two results for one document.');
    if (typeof score !== 'number' || !Number.isFinite(score)) {
      return garbage('The upstream gave a result with a score that is no number.');
    }
    scores[index] = score;
  }
  // As many results as documents, and no index twice: every place is filled.
  return scores.filter((score) => score !== undefined);
}

/**
 * Scores from 0 to 1. Those of an answer that are all within these bounds stay as they are; where one is not, they are logits,
 * and each becomes its sigmoid, which keeps their order.
 */
export function unitScores(scores: readonly number[]): readonly number[] {
  const areUnits = scores.every((score) => score >= -ROUNDING && score <= 1 + ROUNDING);
  return areUnits ? scores.map((score) => Math.min(1, Math.max(0, score))) : scores.map(sigmoid);
}

/** Similarities from -1 to 1, such as cosines, as scores from 0 to 1. */
export function scoresOfCosines(cosines: readonly number[]): readonly number[] {
  return cosines.map((cosine) => Math.min(1, Math.max(0, (cosine + 1) / 2)));
}

function sigmoid(logit: number): number {
  return 1 / (1 + Math.exp(-logit));
}

/** Why a body of status 200 has no list of results: the error that it holds, else that it is no answer. */
export function failureOfNoResults(value: unknown): Failure {
  if (!isRecord(value)) return bodyNoAnswer();
  const { error, message, detail } = value;
  return failureInAnswer(error) ?? failureInAnswer(message || detail ? value : null) ?? bodyNoAnswer();
}
