import type { Pool } from 'pg';
import type { AgeingTable, RetentionStore, Thinning, ThinningTask } from '../../engine/ports/retention-store.ts';
import {
  beginThinningStatement,
  endThinningStatement,
  fromThinningRow,
  noteRanksStatement,
  READ_THINNING,
  removeOldStatement,
} from '../shared/retention.ts';
import { POSTGRES, runWaiting, type SqlRow } from '../sql/program.ts';
import { thinSums } from '../sql/usage/thinning-programs.ts';
import { inTransaction, query } from './connection.ts';
import { isMixed, logPartitions, tendLogPartitions } from './log-partitions.ts';

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

  async tendLog(nowMs: number, beforeMs: number): Promise<void> {
    await tendLogPartitions(this.#pool, Math.floor(nowMs), Math.floor(beforeMs));
  }

  async removeOld(table: AgeingTable, beforeMs: number, limit: number): Promise<number> {
    if (table === 'request_log') return this.#removeOldLines(Math.floor(beforeMs), limit);
    return inTransaction(this.#pool, async (session) => {
      // The trigger that protects the audit log lets go of what is older than this.
      if (table === 'audit_log') {
        await session.query("SELECT set_config('switchyard.audit_before_ms', $1, true)", [
          String(Math.floor(beforeMs)),
        ]);
      }
      if (table === 'usage_account_days') await session.query(noteRanksStatement('$'), [Math.floor(beforeMs)]);
      const { rowCount } = await session.query(removeOldStatement(table, '$'), [Math.floor(beforeMs), limit]);
      return rowCount ?? 0;
    });
  }

  /** Those of one week go with their partition. */
  async #removeOldLines(beforeMs: number, limit: number): Promise<number> {
    let removed = 0;
    for (const { table } of (await logPartitions(this.#pool)).filter(isMixed)) {
      const sql = removeOldStatement('request_log', '$').replaceAll('request_log', table);
      removed += (await query(this.#pool, sql, [beforeMs, limit - removed])).rowCount ?? 0;
    }
    return removed;
  }

  thinSums(task: ThinningTask): Promise<string | null> {
    return inTransaction(this.#pool, async (session) => {
      const program = thinSums(POSTGRES, task);
      return runWaiting(program, async ({ sql, values }) => (await session.query<SqlRow>(sql, values)).rows);
    });
  }

  async thinning(): Promise<Thinning> {
    return fromThinningRow((await query(this.#pool, READ_THINNING)).rows[0]);
  }

  async beginThinning({
    minutesBeforeMs,
    hoursBeforeMs,
  }: Parameters<RetentionStore['beginThinning']>[0]): Promise<void> {
    await query(this.#pool, beginThinningStatement('$'), [minutesBeforeMs, hoursBeforeMs]);
  }

  async endThinning(untilMs: number): Promise<void> {
    await query(this.#pool, endThinningStatement('$'), [untilMs]);
  }
}
