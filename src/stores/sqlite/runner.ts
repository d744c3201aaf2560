import type { Database } from 'bun:sqlite';
import { SQLITE, type SqlProgram, type SqlRunner, statement, type Values, type WriteOptions } from '../sql/program.ts';
import { changedRows, runStatement } from '../sql/sqlite-statement.ts';
import { SqliteConnectionReader } from './reader.ts';

/** Runs `write` in a transaction, as durable as the connection. */
export type Commit = <Result>(bytes: number, write: () => Result) => Result | Promise<Result>;

/** Runs programs on a connection of the writer thread. */
export class SqliteRunner extends SqliteConnectionReader implements SqlRunner {
  readonly #commit: Commit;

  constructor(database: Database, commit: Commit) {
    super(database);
    this.#commit = commit;
  }

  async write<Result>(
    program: (attempt: number) => SqlProgram<Result>,
    { bytes = 0 }: WriteOptions = {},
  ): Promise<Result> {
    return await this.#commit(bytes, () => this.run(() => program(1)));
  }

  async change(text: (values: Values) => string, { bytes = 0 }: WriteOptions = {}): Promise<number> {
    const changing = statement(SQLITE, text);
    return await this.#commit(bytes, () => {
      runStatement(this.database, changing);
      return changedRows(this.database);
    });
  }
}
