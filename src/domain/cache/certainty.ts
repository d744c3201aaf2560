/**
 * The least certainty at which an answer may be given. Measured on pairs that were not trained on, see
 * docs/decisions/013-semantic-cache.md. Applies to cosines of the packaged embedding model (`providers/local`).
 */
export const DEFAULT_CERTAINTY = 0.883;

/** Nothing below this is ever accepted, so the search may stop here. */
export const LEAST_COSINE = 0.6;
