import { LEAST_COSINE } from '../../domain/cache/cache.ts';
import { type ModelFile, readModel } from './model-file.ts';
import type { Question } from './question.ts';
import { type RefusalRule, refusalOf } from './refusals.ts';
import file from './same-question.model.json';
import { type Model, scoreOf } from './score.ts';

export interface Verdict {
  /** The probability that both questions have the same answer, from 0 to 1; 0 if a rule refuses. */
  readonly certainty: number;
  /** The reason for a refusal; `null` if the certainty decides. */
  readonly refusedBy: Refusal | null;
}

export type Refusal =
  | RefusalRule
  /** The embeddings are far apart. */
  | 'cosine'
  /** The text is not English, a single word, several lines, or very long: only the same text matches. */
  | 'text'
  /** The texts are longer than a question, and differ. */
  | 'length';

/** The certainty for texts that differ at most in case, punctuation, spelling and articles. */
const SAME_WORDS = 0.99;

const learned = readModel(file satisfies ModelFile);

/**
 * Decides whether the answer to `known` may be given to `asked`; the two requests must be equal otherwise. `cosine` compares the embeddings
 * of both texts. The result is symmetric.
 */
export function sameQuestion(asked: Question, known: Question, cosine: number): Verdict {
  return decide(learned, asked, known, cosine);
}

/** Does the same as `sameQuestion` with the given model. */
export function decide(model: Model, asked: Question, known: Question, cosine: number): Verdict {
  if (asked.identity === known.identity) return { certainty: 1, refusedBy: null };
  if (!(cosine >= LEAST_COSINE)) return refused('cosine');
  if (!asked.isPlain || !known.isPlain) return refused('text');
  const hasSameWords = asked.key === known.key;
  // Checked before the rules: one of them compares all pairs of words, which takes 0.2 s for two crafted texts of 300 words.
  if (!hasSameWords && (asked.isLong || known.isLong)) return refused('length');
  const rule = refusalOf(asked, known);
  if (rule !== null) return refused(rule);
  if (hasSameWords) return { certainty: SAME_WORDS, refusedBy: null };
  return { certainty: Math.min(SAME_WORDS, scoreOf(model, asked, known, cosine)), refusedBy: null };
}

/** Returns the probability from 0 to 1 by the learned score alone. */
export function learnedScore(asked: Question, known: Question, cosine: number): number {
  return scoreOf(learned, asked, known, cosine);
}

function refused(refusedBy: Refusal): Verdict {
  return { certainty: 0, refusedBy };
}
