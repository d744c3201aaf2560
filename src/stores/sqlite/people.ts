import type { Database } from 'bun:sqlite';
import type { Audit } from '../../engine/ports/people-store.ts';
import type { SignInDatabase, SqlParameter } from '../../engine/ports/sign-in-database.ts';
import { type ProgramRunner, runAtOnce, runWaiting, SQLITE, type SqlProgram } from '../sql/program.ts';
import { isRead, runStatement } from '../sql/sqlite-statement.ts';
import { remote, transact, type WriterLink } from './writer-link.ts';

/** Runs the programs of the people store on SQLite. */
export class SqlitePeopleRunner implements ProgramRunner {
  readonly dialect = SQLITE;
  readonly #database: Database;
  readonly #thread: WriterLink;

  /** @param database a read-only connection */
  constructor(database: Database, thread: WriterLink) {
    this.#database = database;
    this.#thread = thread;
  }

  async read<Result>(program: () => SqlProgram<Result>): Promise<Result> {
    return runAtOnce(program(), (statement) => runStatement(this.#database, statement));
  }

  write<Result>(program: () => SqlProgram<Result>, audit: Audit<Result> = () => []): Promise<Result> {
    return transact(this.#thread, async (ask) => {
      const result = await runWaiting(program(), ask);
      return { result, audit: audit(result) };
    });
  }

  /** For the sign-in library. */
  readonly signIn: SignInDatabase = {
    dialect: 'sqlite',
    run: async (sql: string, values: readonly SqlParameter[]) =>
      isRead(sql)
        ? { rows: runStatement(this.#database, { sql, values }), changed: 0 }
        : await remote(this.#thread, 'transactions').single({ sql, values }),
  };
}
