import type { Database } from 'bun:sqlite';
import type { Logger } from '../../engine/ports/logger.ts';
import { errorCodeOf, isDamage } from './connection.ts';

/** Small enough that one batch holds up the requests for a few milliseconds only. */
export const RETENTION_BATCH_ROWS = 500;

export interface RetentionOptions {
  /** What is deleted, as the log names it. */
  readonly what: string;
  /** Deletes at most `RETENTION_BATCH_ROWS`; gives whether there may be more. */
  readonly deleteBatch: () => boolean | Promise<boolean>;
  readonly logger: Logger;
  readonly onDamage: (error: unknown) => void;
  readonly firstAfterMs?: number;
  readonly everyMs?: number;
  readonly betweenBatchesMs?: number;
}

/** Deletes what is too old, a few rows at a time, soon after the start and then once an hour. Gives what stops it. */
export function startRetention(options: RetentionOptions): () => void {
  const { firstAfterMs = 60_000, everyMs = 3_600_000, betweenBatchesMs = 20 } = options;
  let stopped = false;
  let timer = wake(firstAfterMs);

  function wake(milliseconds: number): Timer {
    const next = setTimeout(async () => {
      const more = await deleteBatch(options);
      if (!stopped) timer = wake(more ? betweenBatchesMs : everyMs);
    }, milliseconds);
    next.unref();
    return next;
  }

  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

/** Gives whether there are more than one batch could hold. */
export function deleteOldLogLines(database: Database, beforeMs: number): boolean {
  const { changes } = database
    .query('DELETE FROM request_log WHERE id IN (SELECT id FROM request_log WHERE at_ms < ? ORDER BY at_ms LIMIT ?)')
    .run(beforeMs, RETENTION_BATCH_ROWS);
  return changes === RETENTION_BATCH_ROWS;
}

/** A failure is tried again with the next hour's. */
async function deleteBatch({ what, deleteBatch, logger, onDamage }: RetentionOptions): Promise<boolean> {
  try {
    return await deleteBatch();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    logger.warn({ code: errorCodeOf(error), error: message }, `old ${what} could not be deleted`);
    if (isDamage(error)) onDamage(error);
    return false;
  }
}
