import type { Database } from 'bun:sqlite';
import { inTransaction, openConnection, retryWhileBusy, setBusyTimeout } from './connection.ts';

/** Whether a commit waits for the disk, as data that must survive a machine crash requires. */
export type Durability = 'FULL' | 'NORMAL';

/** How long the thread may block: most writes of other processes take less, and `retryWhileBusy` only retries every 10 ms. */
const BUSY_TIMEOUT_MS = 5;

/**
 * One connection for all frequent writes, since each of two would have to reread pages that the other changed. Returns integers as
 * `bigint`.
 */
export class WritingConnection {
  readonly database: Database;
  #synchronous: Durability = 'FULL';

  constructor(path: string) {
    this.database = openConnection(path, 'FULL', true);
    setBusyTimeout(this.database, BUSY_TIMEOUT_MS);
  }

  /** Runs `work` in one transaction; throws if another process is writing. */
  run<Result>(durability: Durability, work: () => Result): Result {
    if (this.#synchronous !== durability) {
      this.database.run(`PRAGMA synchronous = ${durability}`);
      this.#synchronous = durability;
    }
    return inTransaction(this.database, 'IMMEDIATE', work);
  }

  /** Like `run`, but waits for the other process. */
  runWhenFree<Result>(durability: Durability, work: () => Result): Promise<Result> {
    return retryWhileBusy(() => this.run(durability, work));
  }

  close(): void {
    this.database.close();
  }
}
