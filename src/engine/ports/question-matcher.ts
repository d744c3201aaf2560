/** Decides whether the answer to one question may be given to another one, by the words of both. */
export interface QuestionMatcher {
  /** Reads the question that was asked, once, so that several known ones can be compared with it. */
  read(asked: string): Promise<QuestionComparison>;
}

/**
 * Returns the probability from 0 to 1 that the answer to `known` is also the answer to the question that was asked; `null` where a rule
 * says that it is not. `cosine` is the one of the embeddings of both texts.
 */
export type QuestionComparison = (known: string, cosine: number) => number | null;
