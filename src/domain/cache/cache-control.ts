/** The contract's words for `cache_control.type`, also of the header `x-switchyard-cache`. */
export const CACHE_CONTROL_TYPES = ['default', 'no_cache', 'no_store', 'response_only', 'semantic_only'] as const;
export type CacheControlType = (typeof CACHE_CONTROL_TYPES)[number];

/** The contract's bound of `max_age`, in seconds. */
export const MOST_MAX_AGE_S = 86_400;

/** What a request says about the cache. */
export interface CacheControl {
  readonly type: CacheControlType;
  /** In seconds: no older answer is given to this request, and its own is kept for no longer. `null` if it says nothing. */
  readonly maxAgeS: number | null;
  /** Whether it waits for an equal request that is under way; `null` leaves that to the policy. */
  readonly coalesce: boolean | null;
}
