import type { Pool } from 'pg';
import { appending, toAuditValues } from '../sql/audit.ts';
import type { DirectoryOutcome, DirectoryRunner } from '../sql/directory/sql-directory.ts';
import { POSTGRES, runWaiting, type SqlProgram } from '../sql/program.ts';
import { inTransaction } from './connection.ts';
import { answerOf, PostgresRunner } from './runner.ts';

export interface PostgresDirectoryPools {
  readonly pool: Pool;
  /** A separate pool for key look-ups, so that many wrong keys only delay each other. */
  readonly keyPool: Pool;
}

export class PostgresDirectoryRunner implements DirectoryRunner {
  readonly dialect = POSTGRES;
  readonly #pool: Pool;
  readonly #main: PostgresRunner;
  readonly #keys: PostgresRunner;

  constructor({ pool, keyPool }: PostgresDirectoryPools) {
    this.#pool = pool;
    this.#main = new PostgresRunner(pool);
    this.#keys = new PostgresRunner(keyPool);
  }

  read<Result>(program: () => SqlProgram<Result>): Promise<Result> {
    return this.#main.read(program);
  }

  snapshot<Result>(program: () => SqlProgram<Result>): Promise<Result> {
    return inTransaction(this.#pool, (session) => runWaiting(program(), answerOf(session)), 'REPEATABLE READ');
  }

  lookUp<Result>(program: () => SqlProgram<Result>): Promise<Result> {
    return this.#keys.read(program);
  }

  search<Result>(program: () => SqlProgram<Result>): Promise<Result> {
    return this.#main.read(program);
  }

  change<Read, Result>(
    read: () => SqlProgram<Read>,
    change: (read: Read) => Promise<DirectoryOutcome<Result>>,
  ): Promise<Result> {
    return inTransaction(this.#pool, async (session) => {
      await session.query('SELECT version FROM directory_version FOR UPDATE');
      const answer = answerOf(session);
      const { result, writing, audit } = await change(await runWaiting(read(), answer));
      if (writing !== null) await runWaiting(writing(), answer);
      await runWaiting(appending(POSTGRES, audit.map(toAuditValues)), answer);
      return result;
    });
  }
}
