/**
 * Which requests the cache serves. `off`: none, whatever they say. `asked`: those that bring a `cache_control`.
 * `deterministic`: also those that are deterministic by their own words, and embeddings and rerank. `exact`: all, by equal
 * requests. `semantic`: all, and chats also by equivalent questions.
 */
export const CACHE_STRATEGIES = ['off', 'asked', 'deterministic', 'exact', 'semantic'] as const;
export type CacheStrategy = (typeof CACHE_STRATEGIES)[number];

/** What holds for a request: what its account says, else its model, else the settings. */
export interface CachePolicy {
  readonly strategy: CacheStrategy;
  /** How long an answer is kept. */
  readonly ttlMs: number;
  /** Up to this temperature a request counts as deterministic. */
  readonly maxTemperature: number;
  /** Equal requests at one time are made once upstream, and the others wait for the answer. */
  readonly coalesce: boolean;
  /** How certain it must be (0 to 1) that two questions are the same. */
  readonly certainty: number;
  /** Whether equivalent questions are also looked for in requests that declare or have used tools. */
  readonly semanticTools: boolean;
  /** The same for requests with images, sounds, films or documents. */
  readonly semanticMedia: boolean;
}

/** What an account or a model says of its own; what is absent is left to others. */
export type CacheOverrides = Partial<CachePolicy>;

/** The first that says something counts. */
export function policyOf(
  defaults: CachePolicy,
  model: CacheOverrides | null,
  account: CacheOverrides | null,
): CachePolicy {
  return model === null && account === null ? defaults : { ...defaults, ...model, ...account };
}
