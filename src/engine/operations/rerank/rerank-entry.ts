import type { RerankAnswer } from '../../../domain/rerank/rerank.ts';
import type { AnswerCodec } from '../../cache/whole-answers.ts';

/** An answer, and its charged tokens: reported, or counted if `answer.tokens` is `null`. */
export interface CountedRerank {
  readonly answer: RerankAnswer;
  readonly tokens: number;
}

/** JSON text with the scores of all documents, so that it also answers requests for fewer results. */
export const RERANK_ENTRY: AnswerCodec<CountedRerank> = {
  fits: () => true,
  sizeOf: ({ answer: { scores } }) => scores.length,
  // biome-ignore lint/correctness/useYield: a thousand scores are the most, and need no steps.
  *encode(counted) {
    return new TextEncoder().encode(JSON.stringify(counted));
  },
  // biome-ignore lint/correctness/useYield: the same
  *decode(bytes) {
    return JSON.parse(new TextDecoder().decode(bytes));
  },
};
