import type { Pool } from 'pg';
import { retrying } from '../shared/retrying.ts';
import {
  POSTGRES,
  runWaiting,
  type SqlProgram,
  type SqlReader,
  type SqlRow,
  type SqlRunner,
  type Statement,
  statement,
  type Values,
  type WriteOptions,
} from '../sql/program.ts';
import { SNAPSHOT_PROGRAMS, type Snapshots } from '../sql/snapshot-programs.ts';
import { inTransaction, query, type Session } from './connection.ts';
import { isPassing, isUndone } from './database-away-error.ts';

/** Runs read-only programs on connections of a pool. */
export class PostgresReader implements SqlReader {
  readonly dialect = POSTGRES;

  constructor(protected readonly pool: Pool) {}

  read<Result>(program: () => SqlProgram<Result>): Promise<Result> {
    return runWaiting(program(), async ({ sql, values }) => (await query<SqlRow>(this.pool, sql, values)).rows);
  }
}

/** Runs programs on connections of a pool. */
export class PostgresRunner extends PostgresReader implements SqlRunner {
  write<Result>(program: (attempt: number) => SqlProgram<Result>, options: WriteOptions = {}): Promise<Result> {
    return retried(options, (attempt) =>
      inTransaction(this.pool, (session) => runWaiting(program(attempt), answerOf(session))),
    );
  }

  change(text: (values: Values) => string, options: WriteOptions = {}): Promise<number> {
    const { sql, values } = statement(POSTGRES, text);
    return retried(options, async () => (await query(this.pool, sql, values)).rowCount ?? 0);
  }
}

/** Returns a function that runs a program's statements in the session's transaction. */
export function answerOf(session: Session) {
  return async ({ sql, values }: Statement) => (await session.query<SqlRow>(sql, values)).rows;
}

export function snapshotsIn(pool: Pool): Snapshots {
  return (name, task) => {
    const program = SNAPSHOT_PROGRAMS[name] as (dialect: typeof POSTGRES, given: typeof task) => SqlProgram<never>;
    return inTransaction(pool, (session) => runWaiting(program(POSTGRES, task), answerOf(session)), 'REPEATABLE READ');
  };
}

function retried<Result>(
  { isRepeatable = false }: WriteOptions,
  work: (attempt: number) => Promise<Result>,
): Promise<Result> {
  return retrying(isRepeatable ? isPassing : isUndone, work);
}
