import type {
  Batch,
  BatchApi,
  BatchChanges,
  BatchStage,
  BatchUsage,
  LineCounts,
  LineResult,
  NotedCharge,
  WaitingLine,
} from '../../domain/batches/batch.ts';

/** Conditions that must all hold; omitted ones are ignored. */
export interface BatchQuery {
  readonly accountId?: string;
  readonly api?: BatchApi;
  readonly keyId?: string;
  readonly stages?: readonly BatchStage[];
  /** Leaves out batches that have expired at this time. */
  readonly readableAtMs: number;
  /** Lists the oldest first. */
  readonly isAscending?: boolean;
  /** The last batch of the previous page; it may have been removed since. */
  readonly after?: Pick<Batch, 'createdAtMs' | 'id'>;
}

/** The sums of the lines of a batch. */
export interface LineSums {
  readonly counts: LineCounts;
  readonly usage: BatchUsage;
  readonly costNanoUsd: bigint;
}

/** A line with its result. */
export interface StoredResult extends WaitingLine, LineResult {}

/**
 * Batches and their lines; changes are durable when their promise resolves. Only the owner may write a batch: a change names the claim
 * under which it was decided and is refused if the claim differs by now. A process owns batches for as long as it owns tasks
 * (`TaskStore.alive`).
 */
export interface BatchStore {
  /** Writes a new batch. Throws if the id exists. */
  create(batch: Batch): Promise<void>;
  /**
   * Writes a new batch, unless its account has `mostOpen` batches that have not ended (`full`), or its input file is not whole or was deleted
   * (`no-file`). Holds also if several are created at the same time. From then on the content of the file is kept until the batch has ended.
   */
  createWithin(batch: Batch, mostOpen: number): Promise<'created' | 'full' | 'no-file'>;
  /** @param accountId `null` to find it in any account */
  find(id: string, accountId: string | null): Promise<Batch | null>;
  /** Resolves to batches from newest to oldest. */
  list(query: BatchQuery, limit: number): Promise<readonly Batch[]>;
  /** Resolves to the number of an account's batches that have not ended. */
  countOpen(accountId: string): Promise<number>;
  /**
   * Changes a batch that has not ended. Resolves to `false`, without changing anything, if there is none, or if its claim differs. If it
   * throws, the outcome is unknown.
   */
  change(id: string, claim: number, changes: BatchChanges): Promise<boolean>;
  /** Records that an account wants to cancel a batch. Resolves to `false` if it has ended; doing it again changes nothing. */
  askToCancel(id: string, nowMs: number): Promise<boolean>;
  /** Deletes a batch that has ended. `false` if it has not. */
  deleteEnded(id: string): Promise<boolean>;
  /**
   * Assigns `owner` to batches that have not ended and have no live owner, oldest first, and raises their claims. Each goes to only one of
   * several concurrent callers.
   *
   * @param besides the accounts whose batches are left out
   */
  claim(owner: string, limit: number, besides?: readonly string[]): Promise<readonly Batch[]>;
  /** Releases the batches of this process, which is shutting down. */
  giveBack(owner: string): Promise<void>;
  /** Resolves to the batches of this process that have not ended: their accounts, their claims, and when cancelling was asked for. */
  claimsOf(owner: string): Promise<ReadonlyMap<string, Pick<Batch, 'accountId' | 'claim' | 'cancelAskedAtMs'>>>;

  /** Adds lines that wait, and skips those that exist. Resolves to `false` if the claim differs. */
  addLines(batchId: string, claim: number, lines: readonly WaitingLine[]): Promise<boolean>;
  /** Resolves to lines without a result and without a noted charge after a number, in order. */
  waitingLines(batchId: string, afterNumber: number, limit: number): Promise<readonly WaitingLine[]>;
  /**
   * Stores the answer of a line with its charge, before it is charged, so that a process that takes the batch over can repeat the charge
   * instead of the line. Resolves to `false`, without changing anything, if the claim differs, or if the line has a result or another
   * charge.
   */
  noteCharge(batchId: string, claim: number, noted: NotedCharge): Promise<boolean>;
  /** Resolves to lines with a noted charge and no result, in order. */
  notedCharges(batchId: string, limit: number): Promise<readonly NotedCharge[]>;
  /**
   * Stores results of lines that have none; the others stay as they are. Counts, usage and cost of the batch grow with them. All in one
   * transaction. Resolves to `false`, without changing anything, if the claim differs.
   */
  finishLines(batchId: string, claim: number, results: readonly LineResult[]): Promise<boolean>;
  /**
   * Gives at most `limit` lines without a result and without a noted charge this outcome, without content. Resolves to their number, 0 when
   * none are left; `null` if the claim differs.
   */
  finishRest(batchId: string, claim: number, outcome: 'cancelled' | 'expired', limit: number): Promise<number | null>;
  /** Resolves to results after a line's number, in order, up to about `mostBytes` of JSON but at least one; empty at the end. */
  results(batchId: string, afterNumber: number, mostBytes: number): Promise<readonly StoredResult[]>;
  /** Resolves to the sums of all lines that have a result, added up anew: the batch has them already. */
  sums(batchId: string): Promise<LineSums>;
  /** Removes at most `limit` lines of a batch. Resolves to the number removed. */
  removeLines(batchId: string, limit: number): Promise<number>;
  /** Removes at most `limit` rows of expired batches. Resolves to the number removed, 0 when none are left. */
  removeExpired(nowMs: number, limit: number): Promise<number>;
}
