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
