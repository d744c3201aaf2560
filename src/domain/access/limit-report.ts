/** The state of one limit after a request. */
export interface LimitState {
  readonly limit: number;
  readonly remaining: number;
  /** The time until the whole limit is available again, if there are no more requests. */
  readonly resetMs: number;
}

/** The per-minute limits that apply to the caller; `null` if there are none. */
export interface LimitReport {
  /** The account's or the key's limit, whichever has fewer requests left. */
  readonly requests: LimitState | null;
  readonly tokens: LimitState | null;
}
