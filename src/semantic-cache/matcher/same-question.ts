import { LEAST_COSINE } from '../../domain/cache/certainty.ts';
import { type ModelFile, readModel } from './model-file.ts';
import type { Question } from './question.ts';
import { type RefusalRule, refusalOf } from './refusals.ts';
import file from './same-question.model.json';
import { type Model, scoreOf } from './score.ts';

export interface Verdict {
  /** From 0 to 1: the probability that the answer to one is the answer to the other; 0 where a rule refuses. */
  readonly certainty: number;
  /** `null` where no rule speaks against it. Then the certainty decides. */
  readonly refusedBy: Refusal | null;
}

export type Refusal =
  | RefusalRule
  /** The embeddings are far apart. */
  | 'cosine'
  /** Not English, of one word, more than one line, or very long: nothing but the same text will do. */
  | 'text'
  /** More than a question, and not the same sentences. */
  | 'length';

/** Of texts that differ in case, punctuation, spelling and articles at most. */
const SAME_WORDS = 0.99;

const learned = readModel(file satisfies ModelFile);

/**
 * Whether the answer that `known` has got may be given to `asked`. All else of the two requests has to be equal. `cosine`: of the
 * embeddings of both texts. It does not matter which of the two is which.
 */
export function sameQuestion(asked: Question, known: Question, cosine: number): Verdict {
  return decide(learned, asked, known, cosine);
}

/** As `sameQuestion`, by a model that is given. */
export function decide(model: Model, asked: Question, known: Question, cosine: number): Verdict {
  if (asked.identity === known.identity) return { certainty: 1, refusedBy: null };
  if (!(cosine >= LEAST_COSINE)) return refused('cosine');
  if (!asked.isPlain || !known.isPlain) return refused('text');
  const hasSameWords = asked.key === known.key;
  // Before the rules: one of them compares all pairs of words, which in two texts of 300 words that were made for it takes 0.2 s.
  if (!hasSameWords && (asked.isLong || known.isLong)) return refused('length');
  const rule = refusalOf(asked, known);
  if (rule !== null) return refused(rule);
  if (hasSameWords) return { certainty: SAME_WORDS, refusedBy: null };
  return { certainty: Math.min(SAME_WORDS, scoreOf(model, asked, known, cosine)), refusedBy: null };
}

/** The probability from 0 to 1 that the learned part alone gives. */
export function learnedScore(asked: Question, known: Question, cosine: number): number {
  return scoreOf(learned, asked, known, cosine);
}

function refused(refusedBy: Refusal): Verdict {
  return { certainty: 0, refusedBy };
}
