import type { AgeingTable, RetentionStore } from '../../engine/ports/retention-store.ts';
import { removeOldStatement } from '../shared/retention.ts';
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

  removeOld(table: AgeingTable, beforeMs: number, limit: number): Promise<number> {
    const { database } = this.#connection;
    return this.#connection.runWhenFree('NORMAL', () => {
      // The trigger that protects the audit log lets go of what is older than this.
      if (table === 'audit_log') database.query('UPDATE audit_horizon SET before_ms = ?').run(beforeMs);
      const { changes } = database.query(removeOldStatement(table, '?')).run(beforeMs, limit);
      if (table === 'audit_log') database.run('UPDATE audit_horizon SET before_ms = 0');
      return changes;
    });
  }
}
