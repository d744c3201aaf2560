/** Tables whose rows are deleted by age alone and that no other port deletes from. */
export const AGEING_TABLES = ['request_log', 'audit_log', 'holds', 'held_charges', 'usage_account_days'] as const;
export type AgeingTable = (typeof AGEING_TABLES)[number];

/** One batch of thinning. Times are in milliseconds since 1970. */
export interface ThinningTask {
  /** The account to continue with. The empty string comes first and stands for the sums over all accounts. */
  readonly fromAccount: string;
  /** Minute sums from `sinceMs` to `minutesBeforeMs` (exclusive, both on whole hours) are merged into quarter-hours. */
  readonly sinceMs: number;
  readonly minutesBeforeMs: number;
  /** Sums of an hour or less before this time (a whole day, UTC) are deleted. Sums of days stay. */
  readonly hoursBeforeMs: number;
  /** The approximate number of rows to scan. */
  readonly limit: number;
}

/** The progress of thinning. Times are in milliseconds since 1970, start at 0 and never decrease. */
export interface Thinning {
  /** Minute sums of all accounts are merged up to here. */
  readonly doneUntilMs: number;
  /** Minute sums may be missing before `minutesBeforeMs`, and hour sums before `hoursBeforeMs`, whatever the current settings. */
  readonly minutesBeforeMs: number;
  readonly hoursBeforeMs: number;
  /** The most expensive accounts cannot be ranked before this time, since the costs per account and day were deleted. */
  readonly ranksBeforeMs: number;
}

/** Deletes expired data in batches. */
export interface RetentionStore {
  /**
   * Resolves to whether `holder` is the only process that may delete until `untilMs`. Claim again to renew. Another process can claim after
   * `untilMs` or a release.
   */
  claim(holder: string, nowMs: number, untilMs: number): Promise<boolean>;
  release(holder: string): Promise<void>;
  /**
   * Creates upcoming weekly partitions of the request log and drops those whose lines are all older than `beforeMs`, if the log is
   * partitioned. Must be called at least every two weeks.
   */
  tendLog(nowMs: number, beforeMs: number): Promise<void>;
  /**
   * Deletes at most `limit` rows older than `beforeMs` (milliseconds since 1970), oldest first: only ended holds, decided held charges, and
   * request log lines outside the weekly partitions. Resolves to the number deleted; fewer than `limit` means that none are left.
   */
  removeOld(table: AgeingTable, beforeMs: number, limit: number): Promise<number>;
  /**
   * Merges usage sums of some accounts into coarser ones without changing the totals. Resolves to the account to continue with; `null`
   * after the last one.
   */
  thinSums(task: ThinningTask): Promise<string | null>;
  thinning(): Promise<Thinning>;
  /** Records, before the first account is thinned, which sums will be missing. */
  beginThinning(of: Pick<ThinningTask, 'minutesBeforeMs' | 'hoursBeforeMs'>): Promise<void>;
  /** Records that the sums of all accounts have been thinned. */
  endThinning(untilMs: number): Promise<void>;
}
