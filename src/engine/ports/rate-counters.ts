/** How much may happen under one scope in any stretch of time of this length. */
export interface RateWindow {
  /**
   * What is counted together. All scopes of one quota begin with the same part in braces, such as `{acme}:requests`, so that a
   * store that spreads its keys over machines keeps them on one.
   */
  readonly scope: string;
  readonly limit: number;
  readonly windowMs: number;
  /** How much one request counts. 0 only asks whether there is room, for what is known and added afterwards, such as tokens. */
  readonly amount: number;
}

/** How many requests of one scope may run at one time. */
export interface Places {
  readonly scope: string;
  readonly limit: number;
}

/** All that limits one request. Made once for an account and key and used for each of its requests. */
export interface Quota {
  readonly windows: readonly RateWindow[];
  readonly places: Places | null;
}

/** The result of one window for a request. */
export interface RateDecision {
  readonly isAdmitted: boolean;
  readonly limit: number;
  /** How much more would be admitted now. */
  readonly remaining: number;
  /** Until the whole limit is free again, if nothing more comes. */
  readonly resetMs: number;
  /** If it is not admitted: after this time a request of this size is, if no other comes. 0 if it is admitted. */
  readonly retryAfterMs: number;
}

export interface Taken {
  /** Whether every window had room and a place was free. Only then was anything counted. */
  readonly isAdmitted: boolean;
  /** One for each window of the quota, in their order. */
  readonly decisions: readonly RateDecision[];
  readonly hasFreePlace: boolean;
  /** The argument for `leave` when the request is over; `null` if it has no place. */
  readonly place: string | null;
}

/** The counters cannot be asked, and the setting allows no request without them. */
export interface CountersAway {
  /** When they will be asked again. */
  readonly retryAfterMs: number;
}

/**
 * Sliding windows, exact: in no stretch of `windowMs` is more than `limit` admitted under one scope. In the memory of one
 * gateway, or shared by several. A request that one window refuses, or for which there is no place, does not count in the other
 * windows.
 */
export interface RateCounters {
  /** Counts the request in all windows and gives it a place, or does neither. Never rejects. */
  take(quota: Quota): Taken | CountersAway | Promise<Taken | CountersAway>;
  /** Counts amounts that are known only afterwards, even beyond the limit. */
  add(window: RateWindow, amount: number): void;
  leave(places: Places, place: string): void;
}
