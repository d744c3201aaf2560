import type { Database } from 'bun:sqlite';
import type { DirectoryOutcome, DirectoryRunner } from '../sql/directory/sql-directory.ts';
import { runAtOnce, runWaiting, SQLITE, type SqlProgram } from '../sql/program.ts';
import { runStatement } from '../sql/sqlite-statement.ts';
import { inTransaction } from './connection.ts';
import type { SqliteReader } from './reader.ts';
import { transact, type WriterLink } from './writer-link.ts';

/**
 * Reads on its own connection in the request thread. A transaction never spans event loop turns, so the connection is never in the middle
 * of one.
 */
export class SqliteDirectoryRunner implements DirectoryRunner {
  readonly dialect = SQLITE;
  readonly #database: Database;
  readonly #thread: WriterLink;
  readonly #reader: SqliteReader;

  /** @param database a read-only connection */
  constructor(database: Database, thread: WriterLink, reader: SqliteReader) {
    this.#database = database;
    this.#thread = thread;
    this.#reader = reader;
  }

  async read<Result>(program: () => SqlProgram<Result>): Promise<Result> {
    return this.lookUp(program);
  }

  async snapshot<Result>(program: () => SqlProgram<Result>): Promise<Result> {
    return inTransaction(this.#database, 'DEFERRED', () => this.lookUp(program));
  }

  lookUp<Result>(program: () => SqlProgram<Result>): Result {
    return runAtOnce(program(), (statement) => runStatement(this.#database, statement));
  }

  search<Result>(program: () => SqlProgram<Result>): Promise<Result> {
    return this.#reader.read(program);
  }

  change<Read, Result>(
    read: () => SqlProgram<Read>,
    change: (read: Read) => Promise<DirectoryOutcome<Result>>,
  ): Promise<Result> {
    // The transaction excludes other writers, so rows read here stay valid until its end.
    return transact(this.#thread, async (ask) => {
      const { result, writing, audit } = await change(await this.snapshot(read));
      if (writing !== null) await runWaiting(writing(), ask);
      return { result, audit };
    });
  }
}
