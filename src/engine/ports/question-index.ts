/** A question similar to another one. */
export interface NearQuestion {
  /** The key of its cache entry. */
  readonly key: string;
  readonly cosine: number;
}

/** Finds the nearest questions in a partition, off the thread that serves requests. */
export interface QuestionIndex {
  /**
   * Resolves to at most `most` questions with a cosine of at least `least`, nearest first; `null` if it is overloaded or has failed.
   * `vector` must be a unit vector.
   */
  nearest(
    partition: string,
    vector: Float32Array,
    of: { readonly most: number; readonly least: number },
  ): Promise<readonly NearQuestion[] | null>;
  statistics(): { readonly questions: number; readonly bytes: number };
  close(): Promise<void>;
}

/** Decides from the words of two questions whether they can share an answer. */
export interface QuestionMatcher {
  /** Parses the question once, so that it can be compared with several known ones. */
  read(asked: string): Promise<QuestionComparison>;
}

/**
 * Returns the probability from 0 to 1 that the answer to `known` also answers the new question; `null` if a rule excludes it. `cosine` is
 * the cosine similarity of the two embeddings.
 */
type QuestionComparison = (known: string, cosine: number) => number | null;

/** Turns questions into embeddings, off the thread that serves requests. */
export interface Embedder {
  /** The name of the model. It is part of the partition's key, since vectors of two models are not comparable. */
  readonly name: string;
  /** Resolves to a unit vector; `null` if it could not be computed in time, the text is too long, or `signal` fired. */
  embed(accountId: string, text: string, signal: AbortSignal): Promise<Float32Array | null>;
}
