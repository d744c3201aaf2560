/**
 * The requests that the cache serves. `off`: none, whatever they ask. `asked`: those with a `cache_control`. `deterministic`:
 * also those that declare themselves deterministic, and embeddings and rerank. `exact`: all, by equal requests. `semantic`: all,
 * and chats also by equivalent questions.
 */
export const CACHE_STRATEGIES = ['off', 'asked', 'deterministic', 'exact', 'semantic'] as const;
export type CacheStrategy = (typeof CACHE_STRATEGIES)[number];

/** The policy for a request: the account's, otherwise the model's, otherwise the settings'. */
export interface CachePolicy {
  readonly strategy: CacheStrategy;
  /** How long an answer is stored. */
  readonly ttlMs: number;
  /** Up to this temperature a request counts as deterministic. */
  readonly maxTemperature: number;
  /** Whether simultaneous equal requests are sent upstream only once, while the others wait for the answer. */
  readonly coalesce: boolean;
  /** The required certainty (0 to 1) that two questions are equivalent. */
  readonly certainty: number;
  /** Whether equivalent questions are also searched for in requests that declare or have used tools. */
  readonly semanticTools: boolean;
  /** The same for requests with images, audio, video or documents. */
  readonly semanticMedia: boolean;
}

/** Overrides of an account or a model; absent members are not overridden. */
export type CacheOverrides = Partial<CachePolicy>;

/** Returns the policy, in which the first override of a member takes precedence. */
export function policyOf(
  defaults: CachePolicy,
  model: CacheOverrides | null,
  account: CacheOverrides | null,
): CachePolicy {
  return model === null && account === null ? defaults : { ...defaults, ...model, ...account };
}
