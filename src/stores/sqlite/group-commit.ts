import type { Database } from 'bun:sqlite';
import { inTransaction, isBusy, retryWhileBusy } from './connection.ts';

/** Limits how long one transaction blocks the other connections. */
const BATCH_BYTES = 4 * 1024 * 1024;
/** The minimum size counted per write, so that many small ones are limited, too. */
const LEAST_BYTES = 4 * 1024;
const DEFAULT_WAITING_BYTES = 128 * 1024 * 1024;

interface WaitingWrite {
  readonly bytes: number;
  /** Runs the write. Returns a function that settles the caller's promise, to be called when the transaction is durable. */
  readonly run: () => () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Groups writes that must be durable before a response is sent. Writes of one event loop turn share a transaction and its wait for the
 * disk; those that arrive during the wait share the next one.
 */
export class GroupCommit {
  readonly #database: Database;
  readonly #maxWaitingBytes: number;
  readonly #waiting: WaitingWrite[] = [];
  #waitingBytes = 0;
  #draining: Promise<void> | null = null;
  #closed = false;

  /** The connection must be durable and have no busy timeout. */
  constructor(database: Database, maxWaitingBytes: number = DEFAULT_WAITING_BYTES) {
    this.#database = database;
    this.#maxWaitingBytes = maxWaitingBytes;
  }

  /**
   * Runs the synchronous `write` in a transaction and resolves to its result when that is durable. It may run again after a rollback.
   * Writes run in call order. Rejects if it throws, the database stays locked, or the queue is full.
   *
   * @param bytes the approximate number of bytes written
   */
  async run<Result>(bytes: number, write: () => Result): Promise<Result> {
    if (this.#closed) throw new Error('The store is closed.');
    const counted = Math.max(bytes, LEAST_BYTES);
    if (this.#waiting.length > 0 && this.#waitingBytes + counted > this.#maxWaitingBytes) {
      throw new Error('The store cannot keep up: too many writes are pending.');
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

  /** Performs queued writes and accepts no more. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#draining;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Lets other requests of this turn add their writes, and yields to requests between batches.
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
      // One failing write must not fail the others.
      else for (const write of batch) await this.#write([write]);
    }
  }
}
