import type { Pool } from 'pg';
import {
  POSTGRES,
  runWaiting,
  type SqlProgram,
  type SqlRow,
  type SqlRunner,
  type Statement,
  statement,
  type Values,
} from '../sql/program.ts';
import { inTransaction, query, type Session } from './connection.ts';

/** Runs programs on connections of a pool. */
export class PostgresRunner implements SqlRunner {
  readonly dialect = POSTGRES;
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  read<Result>(program: () => SqlProgram<Result>): Promise<Result> {
    return runWaiting(program(), async ({ sql, values }) => (await query<SqlRow>(this.#pool, sql, values)).rows);
  }

  write<Result>(program: () => SqlProgram<Result>): Promise<Result> {
    return inTransaction(this.#pool, (session) => runWaiting(program(), answerOf(session)));
  }

  async change(text: (values: Values) => string): Promise<number> {
    const { sql, values } = statement(POSTGRES, text);
    return (await query(this.#pool, sql, values)).rowCount ?? 0;
  }
}

/** Answers the statements of a program within the transaction of a session. */
export function answerOf(session: Session) {
  return async ({ sql, values }: Statement) => (await session.query<SqlRow>(sql, values)).rows;
}
