/** Where one limit stands, after the request that is told of it. */
export interface LimitState {
  readonly limit: number;
  readonly remaining: number;
  /** Until the whole limit is free again, if nothing more comes. */
  readonly resetMs: number;
}

/** What is limited per minute of whoever asks; `null` where nothing is. */
export interface LimitReport {
  /** Of the account's limit and the key's the one with the fewest left. */
  readonly requests: LimitState | null;
  readonly tokens: LimitState | null;
}
