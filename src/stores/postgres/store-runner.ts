import type { Pool } from 'pg';
import { describeError } from '../../domain/text/describe-error.ts';
import type { NewAuditEntry } from '../../engine/ports/audit-log.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import type { Audit } from '../../engine/ports/people-store.ts';
import type { SignInDatabase } from '../../engine/ports/sign-in-database.ts';
import { appending, toAuditValues } from '../sql/audit.ts';
import type { DirectoryOutcome } from '../sql/directory/sql-directory.ts';
import { POSTGRES, runWaiting, type SqlProgram, type SqlRow } from '../sql/program.ts';
import type { StoreRunner } from '../sql/store-parts.ts';
import { inTransaction, query, type Session } from './connection.ts';
import { answerOf, PostgresReader } from './runner.ts';

export interface PostgresStoreRunnerOptions {
  readonly pool: Pool;
  /** A separate pool for key look-ups, so that many wrong keys only delay each other. */
  readonly keyPool: Pool;
  readonly logger: Logger;
}

export class PostgresStoreRunner extends PostgresReader implements StoreRunner {
  readonly #keys: PostgresReader;
  readonly #logger: Logger;
  #keysAreAway = false;

  constructor({ pool, keyPool, logger }: PostgresStoreRunnerOptions) {
    super(pool);
    this.#keys = new PostgresReader(keyPool);
    this.#logger = logger;
  }

  snapshot<Result>(program: () => SqlProgram<Result>): Promise<Result> {
    return inTransaction(this.pool, (session) => runWaiting(program(), answerOf(session)), 'REPEATABLE READ');
  }

  async lookUp<Result>(program: () => SqlProgram<Result>): Promise<Result> {
    try {
      const found = await this.#keys.read(program);
      this.#keysAreAway = false;
      return found;
    } catch (error) {
      // Once per outage, since every request with a key that is not cached fails.
      if (!this.#keysAreAway) this.#logger.warn(describeError(error), 'API keys cannot be looked up');
      this.#keysAreAway = true;
      throw error;
    }
  }

  search<Result>(program: () => SqlProgram<Result>): Promise<Result> {
    return this.read(program);
  }

  write<Result>(program: () => SqlProgram<Result>, audit: Audit<Result> = () => []): Promise<Result> {
    return inTransaction(this.pool, async (session) => {
      const result = await runWaiting(program(), answerOf(session));
      await appendAudit(session, audit(result));
      return result;
    });
  }

  change<Read, Result>(
    read: () => SqlProgram<Read>,
    change: (read: Read) => Promise<DirectoryOutcome<Result>>,
  ): Promise<Result> {
    return inTransaction(this.pool, async (session) => {
      await session.query('SELECT version FROM directory_version FOR UPDATE');
      const answer = answerOf(session);
      const { result, writing, audit } = await change(await runWaiting(read(), answer));
      if (writing !== null) await runWaiting(writing(), answer);
      await appendAudit(session, audit);
      return result;
    });
  }

  readonly signIn: SignInDatabase = {
    dialect: 'postgres',
    run: async (sql, values) => {
      const { rows, rowCount } = await query<SqlRow>(this.pool, sql, values);
      return { rows, changed: rowCount ?? 0 };
    },
  };
}

/** Appends entries to the audit log in the session's transaction. */
export function appendAudit(session: Session, audit: readonly NewAuditEntry[]): Promise<void> {
  return runWaiting(appending(POSTGRES, audit.map(toAuditValues)), answerOf(session));
}
