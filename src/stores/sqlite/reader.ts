import { runWaiting, SQLITE, type SqlProgram, type SqlReader } from '../sql/program.ts';
import type { ReadingThread } from './reading-thread.ts';

/** Runs programs in the thread that reads, so that a search among millions of rows holds up nobody. Integers come back as `bigint`. */
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
