/**
 * From here on an answer may be given. Measured on pairs that were not trained on, see docs/decisions/013-semantic-cache.md. It holds
 * for cosines of the packaged model of embeddings (`providers/local`).
 */
export const DEFAULT_CERTAINTY = 0.883;

/** Below it nothing is accepted, so nothing below it need be looked for. */
export const LEAST_COSINE = 0.6;
