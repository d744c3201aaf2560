/** How an answer was found: for an equal request, an equivalent question, or an equal request that was under way. */
export const CACHE_MATCHES = ['exact', 'semantic', 'coalesced'] as const;
export type CacheMatch = (typeof CACHE_MATCHES)[number];

/** That an answer came from the cache. */
export interface CacheHit {
  readonly entryId: string;
  readonly match: CacheMatch;
  /** How long ago the answer was made. */
  readonly ageMs: number;
  /** What it costs, in per cent of what the answer came to upstream; nothing if absent. */
  readonly pricePercent?: number;
}
