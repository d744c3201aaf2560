import type { FeedbackType } from '../../domain/cache/cache.ts';

/** The first character of `keyId` in a report that was made without a key, in the dashboard or with a management token. No key's id has it. */
export const WITHOUT_KEY = '~';

/** A client's feedback on a cached response. `description` is the client's own text and is never logged. */
export interface CacheReport {
  /** `cr_` and 32 letters and digits. */
  readonly id: string;
  readonly entryId: string;
  /** The entry's key. */
  readonly cacheKey: string;
  readonly accountId: string;
  /** The key that was used, or `WITHOUT_KEY` and a hash of who has reported, which is unique per entry. */
  readonly keyId: string;
  readonly modelId: string;
  readonly type: FeedbackType;
  /** Empty if the client gave none. */
  readonly description: string;
  readonly atMs: number;
  /** When the entry was invalidated; `null` if it was not. */
  readonly invalidatedAtMs: number | null;
}

/** The totals of an entry's reports after one was added. */
export interface CountedReport {
  /** Whether this is the key's first report of the entry. */
  readonly isNew: boolean;
  /** The number of distinct keys that reported the entry. */
  readonly keys: number;
  /** The number of distinct accounts of these keys. */
  readonly accounts: number;
}

/** Stores feedback, shared by all nodes on one database. */
export interface CacheReportStore {
  /**
   * Adds the report unless the key has already reported the entry, and counts the entry's reporters. Durable when resolved. If the account
   * already has `mostOfAccount` reports, its oldest are deleted.
   */
  add(report: CacheReport, mostOfAccount: number): Promise<CountedReport>;
  /** Records in all reports of the entry when it was invalidated. */
  invalidated(entryId: string, atMs: number): Promise<void>;
  /** Resolves to reports from newest to oldest; `before` is the `id` of the last one of the previous page. */
  list(page: {
    readonly limit: number;
    readonly before: string | null;
    readonly accountId: string | null;
    readonly entryId: string | null;
  }): Promise<readonly CacheReport[]>;
  /** Removes at most `limit` reports older than `beforeMs` and resolves to the number removed. A durable store calls this on a schedule. */
  removeOld(beforeMs: number, limit: number): Promise<number>;
}
