import type { AgeingTable, RetentionStore, Thinning, ThinningTask } from '../../engine/ports/retention-store.ts';
import {
  beginThinningStatement,
  endThinningStatement,
  fromThinningRow,
  noteRanksStatement,
  READ_THINNING,
  removeOldStatement,
} from '../shared/retention.ts';
import { runAtOnce, SQLITE } from '../sql/program.ts';
import { runStatement } from '../sql/sqlite-statement.ts';
import { thinSums } from '../sql/usage/thinning-programs.ts';
import type { WritingConnection } from './writing-connection.ts';

/** Deletes old rows; in the thread that writes. A deletion that is lost in a crash is done again. */
export class SqliteRetention implements RetentionStore {
  readonly #connection: WritingConnection;

  constructor(connection: WritingConnection) {
    this.#connection = connection;
  }

  /** A file belongs to one gateway. */
  async claim(): Promise<boolean> {
    return true;
  }

  async release(): Promise<void> {}

  /** Rows of a file are deleted one by one. */
  async tendLog(): Promise<void> {}

  removeOld(table: AgeingTable, beforeMs: number, limit: number): Promise<number> {
    const { database } = this.#connection;
    return this.#connection.runWhenFree('NORMAL', () => {
      // The trigger that protects the audit log lets go of what is older than this.
      if (table === 'audit_log') database.query('UPDATE audit_horizon SET before_ms = ?').run(beforeMs);
      if (table === 'usage_account_days') database.query(noteRanksStatement('?')).run(beforeMs);
      const { changes } = database.query(removeOldStatement(table, '?')).run(beforeMs, limit);
      if (table === 'audit_log') database.run('UPDATE audit_horizon SET before_ms = 0');
      return changes;
    });
  }

  thinSums(task: ThinningTask): Promise<string | null> {
    const { database } = this.#connection;
    return this.#connection.runWhenFree('NORMAL', () =>
      runAtOnce(thinSums(SQLITE, task), (statement) => runStatement(database, statement)),
    );
  }

  async thinning(): Promise<Thinning> {
    return fromThinningRow(this.#connection.database.query<Record<string, bigint>, []>(READ_THINNING).get());
  }

  async beginThinning({
    minutesBeforeMs,
    hoursBeforeMs,
  }: Parameters<RetentionStore['beginThinning']>[0]): Promise<void> {
    await this.#note(beginThinningStatement('?'), minutesBeforeMs, hoursBeforeMs);
  }

  async endThinning(untilMs: number): Promise<void> {
    await this.#note(endThinningStatement('?'), untilMs);
  }

  /** Durably: without the note sums would be read that are not there. */
  async #note(sql: string, ...values: readonly number[]): Promise<void> {
    const { database } = this.#connection;
    await this.#connection.runWhenFree('FULL', () => void database.query(sql).run(...values));
  }
}
