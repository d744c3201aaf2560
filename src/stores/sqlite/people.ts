import type { Database } from 'bun:sqlite';
import type { Audit } from '../../engine/ports/people-store.ts';
import type { SignInDatabase, SqlParameter } from '../../engine/ports/sign-in-database.ts';
import { type ProgramRunner, runAtOnce, SQLITE, type SqlProgram } from '../shared/people/program.ts';
import { changedRows, isRead, runStatement } from '../shared/people/sqlite-statement.ts';
import { insertAuditEntry } from './audit-log.ts';
import { GroupCommit } from './group-commit.ts';

/** People's tables in SQLite. */
export class SqlitePeopleRunner implements ProgramRunner {
  readonly dialect = SQLITE;
  readonly #database: Database;
  readonly #writes: GroupCommit;

  /** @param database its transactions wait for the disk, and it has no busy timeout */
  constructor(database: Database) {
    this.#database = database;
    this.#writes = new GroupCommit(database);
  }

  async read<Result>(program: () => SqlProgram<Result>): Promise<Result> {
    return runAtOnce(program(), (statement) => runStatement(this.#database, statement));
  }

  async write<Result>(program: () => SqlProgram<Result>, audit: Audit<Result> = () => []): Promise<Result> {
    return await this.#writes.run(0, () => {
      const result = runAtOnce(program(), (statement) => runStatement(this.#database, statement));
      for (const entry of audit(result)) insertAuditEntry(this.#database, entry);
      return result;
    });
  }

  /** For the sign-in library. */
  readonly signIn: SignInDatabase = {
    dialect: 'sqlite',
    run: async (sql: string, values: readonly SqlParameter[]) => {
      const run = () => {
        const rows = runStatement(this.#database, { sql, values });
        return { rows, changed: isRead(sql) ? 0 : changedRows(this.#database) };
      };
      return isRead(sql) ? run() : await this.#writes.run(0, run);
    },
  };

  /** Writes what waits. The connection stays its opener's to close. */
  async close(): Promise<void> {
    await this.#writes.close();
  }
}
