/** How an answer was found: for an equal request, an equivalent question, or an equal request in flight. */
export const CACHE_MATCHES = ['exact', 'semantic', 'coalesced'] as const;
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
