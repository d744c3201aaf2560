/** A limit on one scope in any period of length `windowMs`. */
export interface RateWindow {
  /**
   * The name under which requests are counted. All scopes of one quota begin with the same part in braces, such as `{acme}:requests`, so
   * that a sharded store keeps them on one machine.
   */
  readonly scope: string;
  readonly limit: number;
  readonly windowMs: number;
  /** The amount that one request adds. 0 only checks for room, for amounts that are known and added afterwards, such as tokens. */
  readonly amount: number;
}

/** A limit on the concurrent requests of one scope. */
export interface Places {
  readonly scope: string;
  readonly limit: number;
}

/** All limits of a request. Created once per account and key and reused. */
export interface Quota {
  readonly windows: readonly RateWindow[];
  readonly places: Places | null;
}

/** Returns the quota with a percentage of each limit, but at least one request. Both count under the same scopes. */
export function shareOf({ windows, places }: Quota, percent: number): Quota {
  return {
    windows: windows.map((window) => ({ ...window, limit: shareOfLimit(window.limit, percent) })),
    places: places === null ? null : { ...places, limit: shareOfLimit(places.limit, percent) },
  };
}

function shareOfLimit(limit: number, percent: number): number {
  return Math.max(1, Math.floor((limit * percent) / 100));
}

/** The result of one window for a request. */
export interface RateDecision {
  readonly isAdmitted: boolean;
  readonly limit: number;
  /** The amount that would still be admitted now. */
  readonly remaining: number;
  /** The time until the full limit is free again, if nothing more arrives. */
  readonly resetMs: number;
  /** The time after which a request of this size would be admitted, if no other arrives; 0 if this one is admitted. */
  readonly retryAfterMs: number;
}

export interface Taken {
  /** Whether every window and the concurrency limit had room. Nothing is counted otherwise. */
  readonly isAdmitted: boolean;
  /** One decision per window of the quota, in order. */
  readonly decisions: readonly RateDecision[];
  readonly hasFreePlace: boolean;
  /** The slot to pass to `leave` when the request ends; `null` if it has none. */
  readonly place: string | null;
}

/** The counters are unavailable, and the setting admits no request without them. */
export interface CountersAway {
  /** The time until they are tried again. */
  readonly retryAfterMs: number;
}

/**
 * Exact sliding windows: no more than `limit` is admitted under a scope in any period of `windowMs`. Kept in one gateway's memory or shared
 * by several. A request that is refused by one window, or for lack of a slot, counts in none of them.
 */
export interface RateCounters {
  /** Counts the request in all windows and assigns a slot, or does neither. Never rejects. */
  take(quota: Quota): Taken | CountersAway | Promise<Taken | CountersAway>;
  /** Adds an amount that is known only afterwards, even beyond the limit. */
  add(window: RateWindow, amount: number): void;
  leave(places: Places, place: string): void;
}
