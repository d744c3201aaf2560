/** How a call with low priority waits for limits (docs/batches.md). */
export interface LowPriority {
  /** The percentage of each limit of an account or a channel beyond which the call is not admitted. */
  readonly sharePercent: number;
  /** Aborted when the call is given up. */
  readonly signal: AbortSignal;
  /**
   * Resolves to `true` after `ms`, or sooner when the call is given up; other calls take its place meanwhile. Resolves to `false` if it is
   * not to wait any longer, because too many calls wait: it then fails, and is run again later.
   */
  wait(ms: number): Promise<boolean>;
}
