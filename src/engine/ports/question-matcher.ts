/** Decides from the words of two questions whether they can share an answer. */
export interface QuestionMatcher {
  /** Parses the question once, so that it can be compared with several known ones. */
  read(asked: string): Promise<QuestionComparison>;
}

/**
 * Returns the probability from 0 to 1 that the answer to `known` also answers the new question; `null` if a rule excludes it. `cosine` is
 * the cosine similarity of the two embeddings.
 */
export type QuestionComparison = (known: string, cosine: number) => number | null;
