/** Tables whose rows are deleted by their age alone, and which have no port of their own that deletes. */
export const AGEING_TABLES = ['request_log', 'audit_log', 'holds', 'held_charges'] as const;
export type AgeingTable = (typeof AGEING_TABLES)[number];

/** Deletes what has been kept for long enough, a batch at a time. */
export interface RetentionStore {
  /**
   * Resolves to whether `holder` is the one process that deletes until `untilMs`. It is renewed by claiming again; another process gets it
   * after `untilMs`, or once it is released.
   */
  claim(holder: string, nowMs: number, untilMs: number): Promise<boolean>;
  release(holder: string): Promise<void>;
  /**
   * Deletes at most `limit` rows that are older than `beforeMs` (milliseconds since 1970), the oldest first; of holds those that have
   * ended, and of held charges those that are decided. Resolves to how many were deleted; fewer than `limit` means that none is left.
   */
  removeOld(table: AgeingTable, beforeMs: number, limit: number): Promise<number>;
}
