/** Tables whose rows are deleted by their age alone, and which have no port of their own that deletes. */
export const AGEING_TABLES = ['request_log', 'audit_log', 'holds', 'held_charges', 'usage_account_days'] as const;
export type AgeingTable = (typeof AGEING_TABLES)[number];

/** What a batch of thinning is about; times are in milliseconds since 1970. */
export interface ThinningTask {
  /** The account to go on with; the empty one is all accounts together, and the first. */
  readonly fromAccount: string;
  /** Minutes from `sinceMs` up to, not including, `minutesBeforeMs`, both on whole hours, are added up to quarters of an hour. */
  readonly sinceMs: number;
  readonly minutesBeforeMs: number;
  /** Sums of hours and less that are older, on a whole day (UTC), are deleted: those of days stay. */
  readonly hoursBeforeMs: number;
  /** About how many rows are looked at. */
  readonly limit: number;
}

/** How far sums have been thinned; times are in milliseconds since 1970, 0 at first, and never go back. */
export interface Thinning {
  /** Up to here the minutes of all accounts are added up. */
  readonly doneUntilMs: number;
  /** Before this minutes may be missing, and before `hoursBeforeMs` also hours, whatever is set now. */
  readonly minutesBeforeMs: number;
  readonly hoursBeforeMs: number;
  /** Before this the dearest of all accounts cannot be found, since what each has cost in each day was deleted. */
  readonly ranksBeforeMs: number;
}

/** Deletes what has been kept for long enough, a batch at a time. */
export interface RetentionStore {
  /**
   * Resolves to whether `holder` is the one process that deletes until `untilMs`. It is renewed by claiming again; another process gets it
   * after `untilMs`, or once it is released.
   */
  claim(holder: string, nowMs: number, untilMs: number): Promise<boolean>;
  release(holder: string): Promise<void>;
  /**
   * Where the request log is in parts by week: makes those that will be needed, and drops those of which all lines are older than `beforeMs`.
   * To be called at least every two weeks.
   */
  tendLog(nowMs: number, beforeMs: number): Promise<void>;
  /**
   * Deletes at most `limit` rows that are older than `beforeMs` (milliseconds since 1970), the oldest first; of holds those that have
   * ended, of held charges those that are decided, and of the request log those that are in no part by week. Resolves to how many were deleted; fewer than `limit` means that none is left.
   */
  removeOld(table: AgeingTable, beforeMs: number, limit: number): Promise<number>;
  /**
   * Makes the sums of usage of some accounts fewer, without changing what they come to. Resolves to the account to go on with, or `null` after the
   * last one.
   */
  thinSums(task: ThinningTask): Promise<string | null>;
  thinning(): Promise<Thinning>;
  /** Notes, before the first account is thinned, what will be missing from then on. */
  beginThinning(of: Pick<ThinningTask, 'minutesBeforeMs' | 'hoursBeforeMs'>): Promise<void>;
  /** Notes that the sums of all accounts have been thinned. */
  endThinning(untilMs: number): Promise<void>;
}
