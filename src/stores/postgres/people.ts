import type { Pool } from 'pg';
import type { Audit } from '../../engine/ports/people-store.ts';
import type { SignInDatabase } from '../../engine/ports/sign-in-database.ts';
import { appending, toAuditValues } from '../sql/audit.ts';
import { POSTGRES, type ProgramRunner, runWaiting, type SqlProgram, type SqlRow } from '../sql/program.ts';
import { inTransaction, query } from './connection.ts';
import { answerOf } from './runner.ts';

/** Runs the programs of the people store on PostgreSQL. */
export class PostgresPeopleRunner implements ProgramRunner {
  readonly dialect = POSTGRES;

  constructor(private readonly pool: Pool) {}

  read<Result>(program: () => SqlProgram<Result>): Promise<Result> {
    return runWaiting(program(), async ({ sql, values }) => (await query<SqlRow>(this.pool, sql, values)).rows);
  }

  write<Result>(program: () => SqlProgram<Result>, audit: Audit<Result> = () => []): Promise<Result> {
    return inTransaction(this.pool, async (session) => {
      const answer = answerOf(session);
      const result = await runWaiting(program(), answer);
      await runWaiting(appending(POSTGRES, audit(result).map(toAuditValues)), answer);
      return result;
    });
  }

  /** For the sign-in library. */
  readonly signIn: SignInDatabase = {
    dialect: 'postgres',
    run: async (sql, values) => {
      const { rows, rowCount } = await query<SqlRow>(this.pool, sql, values);
      return { rows, changed: rowCount ?? 0 };
    },
  };
}
