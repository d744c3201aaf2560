import type { Pool } from 'pg';
import type { RetentionParts } from '../sql/retention.ts';
import { query } from './connection.ts';
import { isMixed, logPartitions, tendLogPartitions } from './log-partitions.ts';

const CLAIM = `
  INSERT INTO retention_leader AS leader (one, holder, until_ms) VALUES (1, $1, $3)
  ON CONFLICT (one) DO UPDATE SET holder = excluded.holder, until_ms = excluded.until_ms
  WHERE leader.holder = excluded.holder OR leader.until_ms <= $2
`;

/** Only one node deletes. Weekly lines of the log are dropped with their partition. */
export function retentionParts(pool: Pool): RetentionParts {
  return {
    async claim(holder, nowMs, untilMs) {
      const { rowCount } = await query(pool, CLAIM, [holder, Math.floor(nowMs), Math.floor(untilMs)]);
      return rowCount === 1;
    },
    async release(holder) {
      await query(pool, 'DELETE FROM retention_leader WHERE holder = $1', [holder]);
    },
    tendLog: (nowMs, beforeMs) => tendLogPartitions(pool, Math.floor(nowMs), Math.floor(beforeMs)),
    logTables: async () => (await logPartitions(pool)).filter(isMixed).map(({ table }) => table),
  };
}
