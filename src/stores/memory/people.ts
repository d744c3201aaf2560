import { Database } from 'bun:sqlite';
import type { AuditLog } from '../../engine/ports/audit-log.ts';
import type { Audit } from '../../engine/ports/people-store.ts';
import type { SignInDatabase } from '../../engine/ports/sign-in-database.ts';
import { ALERT_TABLES } from '../sql/alerts/tables.ts';
import { CAPTURE_TABLES } from '../sql/captures/tables.ts';
import { ACCOUNT_ERASURES_TABLE } from '../sql/erasures/account-tables.ts';
import { ERASURES_TABLE } from '../sql/erasures/tables.ts';
import { PEOPLE_TABLES, SECOND_FACTOR_TIME } from '../sql/people/tables.ts';
import { type ProgramRunner, runAtOnce, SQLITE, type SqlProgram } from '../sql/program.ts';
import { changedRows, isRead, runStatement } from '../sql/sqlite-statement.ts';

/** Runs programs on an in-memory SQLite database for people, alerts and captures, since the sign-in library only speaks SQL. */
export class MemoryPeopleRunner implements ProgramRunner {
  readonly dialect = SQLITE;
  #opened: Database | null = null;

  constructor(private readonly auditLog: AuditLog) {}

  async read<Result>(program: () => SqlProgram<Result>): Promise<Result> {
    return runAtOnce(program(), (statement) => runStatement(this.#database(), statement));
  }

  async write<Result>(program: () => SqlProgram<Result>, audit: Audit<Result> = () => []): Promise<Result> {
    const database = this.#database();
    const work = database.transaction(() => {
      const result = runAtOnce(program(), (statement) => runStatement(database, statement));
      return { result, entries: audit(result) };
    });
    const { result, entries } = work();
    await this.auditLog.append(entries);
    return result;
  }

  /** For the sign-in library. */
  readonly signIn: SignInDatabase = {
    dialect: 'sqlite',
    run: async (sql, values) => {
      const rows = runStatement(this.#database(), { sql, values });
      return { rows, changed: isRead(sql) ? 0 : changedRows(this.#database()) };
    },
  };

  close(): void {
    this.#opened?.close();
    this.#opened = null;
  }

  #database(): Database {
    if (this.#opened !== null) return this.#opened;
    const database = new Database(':memory:');
    database.run('PRAGMA foreign_keys = ON');
    for (const statement of [
      ...PEOPLE_TABLES,
      SECOND_FACTOR_TIME,
      ERASURES_TABLE,
      ACCOUNT_ERASURES_TABLE,
      ...ALERT_TABLES,
      ...CAPTURE_TABLES,
    ])
      database.run(statement);
    this.#opened = database;
    return database;
  }
}
