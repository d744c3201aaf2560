import { runWaiting, SQLITE, type SqlProgram, type SqlReader } from '../sql/program.ts';
import type { ReadingThread } from './reading-thread.ts';

/** Runs programs in the reader thread, so that a search in millions of rows blocks nothing else. Integers are returned as `bigint`. */
export class SqliteReader implements SqlReader {
  readonly dialect = SQLITE;
  readonly #reading: Pick<ReadingThread, 'rows'>;

  constructor(reading: Pick<ReadingThread, 'rows'>) {
    this.#reading = reading;
  }

  read<Result>(program: () => SqlProgram<Result>): Promise<Result> {
    return runWaiting(program(), ({ sql, values }) => this.#reading.rows(sql, values));
  }
}
