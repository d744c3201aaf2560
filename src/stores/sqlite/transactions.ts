import type { Database } from 'bun:sqlite';
import { type AuditValues, appending } from '../sql/audit.ts';
import { runAtOnce, SQLITE, type SqlRow, type Statement } from '../sql/program.ts';
import { changedRows, runStatement } from '../sql/sqlite-statement.ts';
import { retryWhileBusy, rollBack } from './connection.ts';

/** All writes wait for an open transaction. It is rolled back if its owner asks nothing for this long. */
const ENDS_AFTER_MS = 5_000;
/** It is rolled back after this long in any case. */
const ENDS_AT_LATEST_AFTER_MS = 30_000;

interface OpenTransaction {
  readonly id: number;
  readonly ended: Promise<void>;
  readonly end: () => void;
  /** Begins anew with each step. */
  silence: ReturnType<typeof setTimeout> | null;
  latest: ReturnType<typeof setTimeout> | null;
}

/**
 * Transactions whose steps depend on the results of earlier steps, in the writer thread. One runs at a time, and nothing else is written
 * meanwhile: `whenFree`.
 */
export class Transactions {
  readonly #database: Database;
  #open: OpenTransaction | null = null;
  #lastId = 0;

  /** @param database a separate, durable connection without a busy timeout */
  constructor(database: Database) {
    this.#database = database;
  }

  /** Resolves when no transaction is open; synchronous if none is. */
  whenFree(): void | Promise<void> {
    if (this.#open !== null) return this.#untilFree();
  }

  /** Begins a transaction and resolves to its id. */
  async begin(): Promise<number> {
    while (this.#open !== null) await this.#open.ended;
    const open = this.#reserve();
    try {
      await retryWhileBusy(() => void this.#database.run('BEGIN IMMEDIATE'));
    } catch (error) {
      this.#end();
      throw error;
    }
    open.silence = setTimeout(() => this.undo(open.id), ENDS_AFTER_MS);
    open.latest = setTimeout(() => this.undo(open.id), ENDS_AT_LATEST_AFTER_MS);
    return open.id;
  }

  /** Runs a statement of the open transaction, whose owner then has the whole time again: on a busy machine, many short steps take long. */
  ask(id: number, statement: Statement): readonly SqlRow[] {
    this.#refuseEnded(id);
    this.#open?.silence?.refresh();
    return runStatement(this.#database, statement);
  }

  /** Appends entries to the audit log and commits durably. If it throws, the transaction is rolled back. */
  commit(id: number, audit: readonly AuditValues[]): void {
    this.#refuseEnded(id);
    try {
      runAtOnce(appending(SQLITE, audit), (asked) => runStatement(this.#database, asked));
      this.#database.run('COMMIT');
    } finally {
      this.#end();
    }
  }

  /** Rolls back the transaction unless it has ended. */
  undo(id: number): void {
    if (this.#open?.id === id) this.#end();
  }

  /** Runs one statement in its own transaction. Resolves to its rows and the number of changed rows. */
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

  /** Rolls back the open transaction. */
  close(): void {
    if (this.#open !== null) this.#end();
  }

  async #untilFree(): Promise<void> {
    while (this.#open !== null) await this.#open.ended;
  }

  #reserve(): OpenTransaction {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    this.#lastId += 1;
    this.#open = { id: this.#lastId, ended, end, silence: null, latest: null };
    return this.#open;
  }

  #end(): void {
    const open = this.#open;
    this.#open = null;
    rollBack(this.#database);
    if (open === null) return;
    for (const timer of [open.silence, open.latest]) if (timer !== null) clearTimeout(timer);
    open.end();
  }

  #refuseEnded(id: number): void {
    if (this.#open?.id === id) return;
    // SQLite's code for a lock timeout, so that callers retry.
    const code = 'SQLITE_BUSY_TIMEOUT';
    throw Object.assign(new Error('The change took too long and was rolled back. Try again.'), { code });
  }
}
