/** The state of one limit after a request. */
export interface LimitState {
  readonly limit: number;
  readonly remaining: number;
  /** Until the whole limit is free again, if nothing more comes. */
  readonly resetMs: number;
}

/** The limits per minute that apply to the caller; `null` if there are none. */
export interface LimitReport {
  /** The account's or the key's limit, whichever has fewer requests left. */
  readonly requests: LimitState | null;
  readonly tokens: LimitState | null;
}
