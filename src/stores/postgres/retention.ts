import type { Pool } from 'pg';
import type { AgeingTable, RetentionStore } from '../../engine/ports/retention-store.ts';
import { removeOldStatement } from '../shared/retention.ts';
import { inTransaction, query } from './connection.ts';

const CLAIM = `
  INSERT INTO retention_leader AS leader (one, holder, until_ms) VALUES (1, $1, $3)
  ON CONFLICT (one) DO UPDATE SET holder = excluded.holder, until_ms = excluded.until_ms
  WHERE leader.holder = excluded.holder OR leader.until_ms <= $2
`;

export class PostgresRetention implements RetentionStore {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async claim(holder: string, nowMs: number, untilMs: number): Promise<boolean> {
    const { rowCount } = await query(this.#pool, CLAIM, [holder, Math.floor(nowMs), Math.floor(untilMs)]);
    return rowCount === 1;
  }

  async release(holder: string): Promise<void> {
    await query(this.#pool, 'DELETE FROM retention_leader WHERE holder = $1', [holder]);
  }

  removeOld(table: AgeingTable, beforeMs: number, limit: number): Promise<number> {
    return inTransaction(this.#pool, async (session) => {
      // The trigger that protects the audit log lets go of what is older than this.
      if (table === 'audit_log') {
        await session.query("SELECT set_config('switchyard.audit_before_ms', $1, true)", [
          String(Math.floor(beforeMs)),
        ]);
      }
      const { rowCount } = await session.query(removeOldStatement(table, '$'), [Math.floor(beforeMs), limit]);
      return rowCount ?? 0;
    });
  }
}
