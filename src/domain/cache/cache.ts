import type { RoutedChannel } from '../exchange/routing-info.ts';

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

/** The contract's values of `cache_control.type`, also used in the header `x-switchyard-cache`. */
export const CACHE_CONTROL_TYPES = ['default', 'no_cache', 'no_store', 'response_only', 'semantic_only'] as const;
export type CacheControlType = (typeof CACHE_CONTROL_TYPES)[number];

/** The contract's limit for `max_age`, in seconds. */
export const MOST_MAX_AGE_S = 86_400;

/** A request's cache settings. */
export interface CacheControl {
  readonly type: CacheControlType;
  /** In seconds: this request gets no older answer, and its own is stored for no longer. `null` if it sets none. */
  readonly maxAgeS: number | null;
  /** Whether it waits for an equal request in flight; `null` leaves that to the policy. */
  readonly coalesce: boolean | null;
}

/** A question, as the search for equivalent questions needs it. */
export interface CachedQuestion {
  /** A digest of everything else in the request: only questions of the same partition are compared. */
  readonly partition: string;
  readonly text: string;
  /** Has length 1; the number of dimensions depends on the embedding model. */
  readonly vector: Float32Array;
}

/** An answer in the cache. */
export interface CacheEntry {
  /** `ce_` and 32 letters and digits. */
  readonly id: string;
  /** A digest of the scope and the canonical request (43 characters of base64url); unique among entries. */
  readonly key: string;
  /** The account whose request it answered. */
  readonly accountId: string;
  /** Whether other accounts may be served; then the keys do not include an account. */
  readonly isShared: boolean;
  readonly modelId: string;
  /** The channel that answered, as `_routing` names it. */
  readonly channel: RoutedChannel;
  readonly upstreamModel: string;
  readonly storedAtMs: number;
  /** From this moment on it is not served. */
  readonly expiresAtMs: number;
  /** The answer in canonical form: for text generation, JSON as UTF-8; otherwise in the operation's own encoding. */
  readonly answer: Uint8Array<ArrayBuffer>;
  /** `null` if equivalent questions must not find it. */
  readonly question: CachedQuestion | null;
}

/** How an answer was found: for an equal request, an equivalent question, or an equal request in flight. */
const CACHE_MATCHES = ['exact', 'semantic', 'coalesced'] as const;
export type CacheMatch = (typeof CACHE_MATCHES)[number];

/** Describes an answer that came from the cache. */
export interface CacheHit {
  readonly entryId: string;
  readonly match: CacheMatch;
  /** The age of the answer. */
  readonly ageMs: number;
  /** The price in percent of what the answer cost upstream; free if absent. */
  readonly pricePercent?: number;
}

/** The contract's names for the faults of a cached answer. */
export const FEEDBACK_TYPES = ['wrong_answer', 'outdated', 'incomplete', 'unsafe', 'other'] as const;
export type FeedbackType = (typeof FEEDBACK_TYPES)[number];

/** The limit in characters. */
export const MOST_DESCRIPTION = 4_000;

/**
 * The least certainty at which an answer may be given. Measured on pairs that were not trained on, see
 * docs/decisions/013-semantic-cache.md. Applies to cosines of the packaged embedding model (`providers/local`).
 */
export const DEFAULT_CERTAINTY = 0.883;

/** Nothing below this is ever accepted, so the search may stop here. */
export const LEAST_COSINE = 0.6;
