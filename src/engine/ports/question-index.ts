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
