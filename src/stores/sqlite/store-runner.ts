import type { Database } from 'bun:sqlite';
import type { Audit } from '../../engine/ports/people-store.ts';
import type { SignInDatabase, SqlParameter } from '../../engine/ports/sign-in-database.ts';
import type { DirectoryOutcome } from '../sql/directory/sql-directory.ts';
import { runWaiting, type SqlProgram, type SqlReader } from '../sql/program.ts';
import { isRead, runStatement } from '../sql/sqlite-statement.ts';
import type { StoreRunner } from '../sql/store-parts.ts';
import { inTransaction } from './connection.ts';
import { SqliteConnectionReader } from './reader.ts';
import { remote, transact, type WriterLink } from './writer-link.ts';

/**
 * Reads on its own connection in the request thread, and changes in the writer thread. A transaction never spans event loop turns, so the
 * connection is never in the middle of one.
 */
export class SqliteStoreRunner extends SqliteConnectionReader implements StoreRunner {
  readonly #thread: WriterLink;
  readonly #search: SqlReader;

  /** @param database a read-only connection */
  constructor(database: Database, thread: WriterLink, search: SqlReader) {
    super(database);
    this.#thread = thread;
    this.#search = search;
  }

  async snapshot<Result>(program: () => SqlProgram<Result>): Promise<Result> {
    return inTransaction(this.database, 'DEFERRED', () => this.run(program));
  }

  lookUp<Result>(program: () => SqlProgram<Result>): Result {
    return this.run(program);
  }

  search<Result>(program: () => SqlProgram<Result>): Promise<Result> {
    return this.#search.read(program);
  }

  write<Result>(program: () => SqlProgram<Result>, audit: Audit<Result> = () => []): Promise<Result> {
    return transact(this.#thread, async (ask) => {
      const result = await runWaiting(program(), ask);
      return { result, audit: audit(result) };
    });
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

  readonly signIn: SignInDatabase = {
    dialect: 'sqlite',
    run: async (sql: string, values: readonly SqlParameter[]) =>
      isRead(sql)
        ? { rows: runStatement(this.database, { sql, values }), changed: 0 }
        : await remote(this.#thread, 'transactions').single({ sql, values }),
  };
}
