/** Turns questions into vectors, off the thread that answers requests. */
export interface Embedder {
  /** Part of the partition's key: vectors of two models are not comparable. */
  readonly name: string;
  /** A vector of length 1; `null` if it could not be made in time, the text is too long, or `signal` fired. */
  embed(accountId: string, text: string, signal: AbortSignal): Promise<Float32Array | null>;
}
