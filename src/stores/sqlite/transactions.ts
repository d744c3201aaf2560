import type { Database } from 'bun:sqlite';
import { type AuditValues, appending } from '../sql/audit.ts';
import { runAtOnce, SQLITE, type SqlRow, type Statement } from '../sql/program.ts';
import { changedRows, runStatement } from '../sql/sqlite-statement.ts';
import { retryWhileBusy, rollBack } from './connection.ts';

/** All that writes waits for an open transaction; who opened it and says nothing for so long has lost it. */
const ENDS_AFTER_MS = 5_000;

interface OpenTransaction {
  readonly id: number;
  readonly ended: Promise<void>;
  readonly end: () => void;
  timer: ReturnType<typeof setTimeout> | null;
}

/**
 * Transactions of several steps, where the next step depends on the answer to the one before; in the thread that writes. One at a time,
 * and while one is open nothing else is written: `whenFree`.
 */
export class Transactions {
  readonly #database: Database;
  #open: OpenTransaction | null = null;
  #lastId = 0;

  /** @param database a connection of its own, whose transactions wait for the disk and which has no busy timeout */
  constructor(database: Database) {
    this.#database = database;
  }

  /** Waits until no transaction is open; not a promise if none is. */
  whenFree(): void | Promise<void> {
    if (this.#open !== null) return this.#untilFree();
  }

  /** Gives its id. */
  async begin(): Promise<number> {
    while (this.#open !== null) await this.#open.ended;
    const open = this.#reserve();
    try {
      await retryWhileBusy(() => void this.#database.run('BEGIN IMMEDIATE'));
    } catch (error) {
      this.#end();
      throw error;
    }
    open.timer = setTimeout(() => this.undo(open.id), ENDS_AFTER_MS);
    return open.id;
  }

  /** A statement of the open transaction. */
  ask(id: number, statement: Statement): readonly SqlRow[] {
    this.#refuseEnded(id);
    return runStatement(this.#database, statement);
  }

  /** Adds entries to the audit log. Durable when it returns. If it throws, the transaction is undone. */
  commit(id: number, audit: readonly AuditValues[]): void {
    this.#refuseEnded(id);
    try {
      runAtOnce(appending(SQLITE, audit), (asked) => runStatement(this.#database, asked));
      this.#database.run('COMMIT');
    } finally {
      this.#end();
    }
  }

  /** Nothing where it has ended. */
  undo(id: number): void {
    if (this.#open?.id === id) this.#end();
  }

  /** One statement in a transaction of its own, and how many rows it has changed. */
  async single(statement: Statement): Promise<{ readonly rows: readonly SqlRow[]; readonly changed: number }> {
    const id = await this.begin();
    try {
      const rows = this.ask(id, statement);
      const changed = changedRows(this.#database);
      this.commit(id, []);
      return { rows, changed };
    } finally {
      this.undo(id);
    }
  }

  /** Undoes what is open. */
  close(): void {
    if (this.#open !== null) this.#end();
  }

  async #untilFree(): Promise<void> {
    while (this.#open !== null) await this.#open.ended;
  }

  #reserve(): OpenTransaction {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    this.#lastId += 1;
    this.#open = { id: this.#lastId, ended, end, timer: null };
    return this.#open;
  }

  #end(): void {
    const open = this.#open;
    this.#open = null;
    rollBack(this.#database);
    if (open === null) return;
    if (open.timer !== null) clearTimeout(open.timer);
    open.end();
  }

  #refuseEnded(id: number): void {
    if (this.#open?.id === id) return;
    // As SQLite calls it where a lock is waited for too long: what the change was for is to be tried again.
    const code = 'SQLITE_BUSY_TIMEOUT';
    throw Object.assign(new Error('The change took too long and was undone. Try it again.'), { code });
  }
}
