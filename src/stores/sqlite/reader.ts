import type { Database } from 'bun:sqlite';
import { runAtOnce, runWaiting, SQLITE, type SqlProgram, type SqlReader } from '../sql/program.ts';
import { runStatement } from '../sql/sqlite-statement.ts';
import type { ReadingThread } from './reading-thread.ts';

/** Runs programs in the reader thread, so that a search in millions of rows blocks nothing else. Integers are returned as `bigint`. */
export class SqliteReader implements SqlReader {
  readonly dialect = SQLITE;
  readonly #reading: Pick<ReadingThread, 'snapshots'>;

  constructor(reading: Pick<ReadingThread, 'snapshots'>) {
    this.#reading = reading;
  }

  read<Result>(program: () => SqlProgram<Result>): Promise<Result> {
    return runWaiting(program(), async (statement) => {
      const [rows = []] = await this.#reading.snapshots('rowsOfEach', [statement]);
      return rows;
    });
  }
}

/** Runs programs on a connection of the caller's thread. */
export class SqliteConnectionReader implements SqlReader {
  readonly dialect = SQLITE;
  protected readonly database: Database;

  constructor(database: Database) {
    this.database = database;
  }

  async read<Result>(program: () => SqlProgram<Result>): Promise<Result> {
    return this.run(program);
  }

  protected run<Result>(program: () => SqlProgram<Result>): Result {
    return runAtOnce(program(), (asked) => runStatement(this.database, asked));
  }
}
