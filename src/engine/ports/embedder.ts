/** Turns questions into embeddings, off the thread that serves requests. */
export interface Embedder {
  /** The name of the model. It is part of the partition's key, since vectors of two models are not comparable. */
  readonly name: string;
  /** Resolves to a unit vector; `null` if it could not be computed in time, the text is too long, or `signal` fired. */
  embed(accountId: string, text: string, signal: AbortSignal): Promise<Float32Array | null>;
}
