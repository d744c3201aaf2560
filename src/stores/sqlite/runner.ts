import type { Database } from 'bun:sqlite';
import {
  runAtOnce,
  SQLITE,
  type SqlProgram,
  type SqlRunner,
  statement,
  type Values,
  type WriteOptions,
} from '../sql/program.ts';
import { changedRows, runStatement } from '../sql/sqlite-statement.ts';

/** Runs `write` in a transaction, as durable as the connection. */
export type Commit = <Result>(bytes: number, write: () => Result) => Result | Promise<Result>;

/** Runs programs on a connection of the writer thread. */
export class SqliteRunner implements SqlRunner {
  readonly dialect = SQLITE;
  readonly #database: Database;
  readonly #commit: Commit;

  constructor(database: Database, commit: Commit) {
    this.#database = database;
    this.#commit = commit;
  }

  async read<Result>(program: () => SqlProgram<Result>): Promise<Result> {
    return this.#run(program);
  }

  async write<Result>(
    program: (attempt: number) => SqlProgram<Result>,
    { bytes = 0 }: WriteOptions = {},
  ): Promise<Result> {
    return await this.#commit(bytes, () => this.#run(() => program(1)));
  }

  async change(text: (values: Values) => string, { bytes = 0 }: WriteOptions = {}): Promise<number> {
    const changing = statement(SQLITE, text);
    return await this.#commit(bytes, () => {
      runStatement(this.#database, changing);
      return changedRows(this.#database);
    });
  }

  #run<Result>(program: () => SqlProgram<Result>): Result {
    return runAtOnce(program(), (asked) => runStatement(this.#database, asked));
  }
}
