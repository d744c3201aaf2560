import type { Database } from 'bun:sqlite';
import { RETENTION_BATCH_ROWS } from '../shared/retention.ts';

/** Gives whether there are more than one batch could hold. */
export function deleteOldLogLines(database: Database, beforeMs: number): boolean {
  const { changes } = database
    .query('DELETE FROM request_log WHERE id IN (SELECT id FROM request_log WHERE at_ms < ? ORDER BY at_ms LIMIT ?)')
    .run(beforeMs, RETENTION_BATCH_ROWS);
  return changes === RETENTION_BATCH_ROWS;
}
