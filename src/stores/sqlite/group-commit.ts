import type { Database } from 'bun:sqlite';
import { inTransaction, isBusy, retryWhileBusy } from './connection.ts';

/** Bounds how long one transaction holds up the other connections. */
const BATCH_BYTES = 4 * 1024 * 1024;
/** What a write counts for at least, so that many small ones are bounded, too. */
const LEAST_BYTES = 4 * 1024;
const DEFAULT_WAITING_BYTES = 128 * 1024 * 1024;

interface WaitingWrite {
  readonly bytes: number;
  /** Runs the write; returns the function that tells the caller, which is called once the transaction is durable. */
  readonly run: () => () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Writes that must be durable before a client is answered. Those of one turn of the event loop share a transaction, and so its
 * wait for the disk; those that come while it waits share the next one.
 */
export class GroupCommit {
  readonly #database: Database;
  readonly #maxWaitingBytes: number;
  readonly #waiting: WaitingWrite[] = [];
  #waitingBytes = 0;
  #draining: Promise<void> | null = null;
  #closed = false;

  /** The connection's transactions must wait for the disk, and it must have no busy timeout. */
  constructor(database: Database, maxWaitingBytes: number = DEFAULT_WAITING_BYTES) {
    this.#database = database;
    this.#maxWaitingBytes = maxWaitingBytes;
  }

  /**
   * Runs `write`, which is synchronous and may be run again after a rollback, inside a transaction; resolves with its result
   * when that is durable. Writes run in the order of the calls. Rejects when it throws, when the database stays locked, and
   * when too much is waiting already.
   *
   * @param bytes about how much it writes
   */
  async run<Result>(bytes: number, write: () => Result): Promise<Result> {
    if (this.#closed) throw new Error('The store is closed.');
    const counted = Math.max(bytes, LEAST_BYTES);
    if (this.#waiting.length > 0 && this.#waitingBytes + counted > this.#maxWaitingBytes) {
      throw new Error('The store cannot keep up: too much is waiting to be written.');
    }
    this.#waitingBytes += counted;
    return new Promise<Result>((resolve, reject) => {
      const run = () => {
        const result = write();
        return () => resolve(result);
      };
      this.#waiting.push({ bytes: counted, run, reject });
      this.#draining ??= this.#drain();
    });
  }

  /** Writes what waits, and takes nothing more. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#draining;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Lets the other requests of this turn add their writes, and gives requests their turn between two batches.
      await new Promise<void>((resolve) => setImmediate(resolve));
      await this.#write(this.#takeBatch());
    }
    this.#draining = null;
  }

  #takeBatch(): WaitingWrite[] {
    let count = 0;
    let bytes = 0;
    for (const write of this.#waiting) {
      if (count > 0 && bytes + write.bytes > BATCH_BYTES) break;
      count += 1;
      bytes += write.bytes;
    }
    this.#waitingBytes -= bytes;
    return this.#waiting.splice(0, count);
  }

  async #write(batch: readonly WaitingWrite[]): Promise<void> {
    try {
      const settle = await retryWhileBusy(() =>
        inTransaction(this.#database, 'IMMEDIATE', () => batch.map(({ run }) => run())),
      );
      for (const resolve of settle) resolve();
    } catch (error) {
      if (batch.length === 1 || isBusy(error)) for (const { reject } of batch) reject(error);
      // One that cannot be written must not take the others with it.
      else for (const write of batch) await this.#write([write]);
    }
  }
}
