/** A question that lies near another one. */
export interface NearQuestion {
  /** The key of its cache entry. */
  readonly key: string;
  readonly cosine: number;
}

/** Finds the nearest questions of a partition. It works beside the thread that answers requests. */
export interface QuestionIndex {
  /**
   * The nearest first, at most `most`, none whose cosine is under `least`. `null` where it has too much to do or has failed. `vector`
   * has the length 1.
   */
  nearest(
    partition: string,
    vector: Float32Array,
    of: { readonly most: number; readonly least: number },
  ): Promise<readonly NearQuestion[] | null>;
  statistics(): { readonly questions: number; readonly bytes: number };
  close(): Promise<void>;
}
