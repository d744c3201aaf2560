import type { FeedbackType } from '../../domain/cache/cache-feedback.ts';

/** What a client has reported of a cached answer. `description` is the client's own text: it is never logged. */
export interface CacheReport {
  /** `cr_` and 32 letters and digits. */
  readonly id: string;
  readonly entryId: string;
  /** The entry's key. */
  readonly cacheKey: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly modelId: string;
  readonly type: FeedbackType;
  /** Empty where the client has said nothing. */
  readonly description: string;
  readonly atMs: number;
  /** When the entry was invalidated; `null` while it is not. */
  readonly invalidatedAtMs: number | null;
}

/** What is known of an entry's reports once another one has come. */
export interface CountedReport {
  /** False where the key has reported this entry before. */
  readonly isNew: boolean;
  /** How many keys have reported the entry. */
  readonly keys: number;
  /** How many accounts these keys belong to. */
  readonly accounts: number;
}

/** Durable on all nodes that share the database. */
export interface CacheReportStore {
  /**
   * Adds it, unless the key has reported this entry before, and counts who has reported it by now. Durable when resolved. The account's
   * oldest make room where it has `mostOfAccount`.
   */
  add(report: CacheReport, mostOfAccount: number): Promise<CountedReport>;
  /** Notes in all reports of the entry that it was invalidated. */
  invalidated(entryId: string, atMs: number): Promise<void>;
  /** The newest first; `before` is the `id` of the last one of the page before. */
  list(page: {
    readonly limit: number;
    readonly before: string | null;
    readonly accountId: string | null;
    readonly entryId: string | null;
  }): Promise<readonly CacheReport[]>;
  /** Removes some that are older than `beforeMs`, at most `limit`; gives how many. A durable store calls it on a schedule. */
  removeOld(beforeMs: number, limit: number): Promise<number>;
}
