import type { Database } from 'bun:sqlite';
import { inTransaction, openConnection, retryWhileBusy, setBusyTimeout } from './connection.ts';

/** Whether a transaction waits for the disk: what must outlive a crash of the machine does. */
export type Durability = 'FULL' | 'NORMAL';

/** The thread may be held up so long: most that others write takes less, and `retryWhileBusy` looks again only every 10 ms. */
const BUSY_TIMEOUT_MS = 5;

/**
 * One connection for all that is written often: two of them would have to read again what the other one has changed. Its integers come
 * back as `bigint`.
 */
export class WritingConnection {
  readonly database: Database;
  #synchronous: Durability = 'FULL';

  constructor(path: string) {
    this.database = openConnection(path, 'FULL', true);
    setBusyTimeout(this.database, BUSY_TIMEOUT_MS);
  }

  /** In one transaction; throws where another process is writing just now. */
  run<Result>(durability: Durability, work: () => Result): Result {
    if (this.#synchronous !== durability) {
      this.database.run(`PRAGMA synchronous = ${durability}`);
      this.#synchronous = durability;
    }
    return inTransaction(this.database, 'IMMEDIATE', work);
  }

  /** As `run`, and waits for the other process. */
  runWhenFree<Result>(durability: Durability, work: () => Result): Promise<Result> {
    return retryWhileBusy(() => this.run(durability, work));
  }

  close(): void {
    this.database.close();
  }
}
