import type { Database } from 'bun:sqlite';
import type { Clock } from '../../engine/ports/clock.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import { errorCodeOf, isDamage } from './connection.ts';

const DAY_MS = 86_400_000;
/** Small enough that one batch holds up the requests for a few milliseconds only. */
const BATCH_ROWS = 500;

export interface RetentionOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Older lines are deleted. */
  readonly days: number;
  readonly onDamage: (error: unknown) => void;
  readonly firstAfterMs?: number;
  readonly everyMs?: number;
  readonly betweenBatchesMs?: number;
}

/** Deletes old request log lines, a few at a time, soon after the start and then once an hour. Gives what stops it. */
export function startRetention(options: RetentionOptions): () => void {
  const { firstAfterMs = 60_000, everyMs = 3_600_000, betweenBatchesMs = 20 } = options;
  let timer = wake(firstAfterMs);

  function wake(milliseconds: number): Timer {
    const next = setTimeout(() => {
      timer = wake(deleteBatch(options) === BATCH_ROWS ? betweenBatchesMs : everyMs);
    }, milliseconds);
    next.unref();
    return next;
  }

  return () => clearTimeout(timer);
}

/** Gives how many were deleted; a failure counts as none and is tried again with the next hour's. */
function deleteBatch({ database, clock, logger, days, onDamage }: RetentionOptions): number {
  try {
    return database
      .query('DELETE FROM request_log WHERE id IN (SELECT id FROM request_log WHERE at_ms < ? ORDER BY at_ms LIMIT ?)')
      .run(clock.nowMs() - days * DAY_MS, BATCH_ROWS).changes;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    logger.warn({ code: errorCodeOf(error), error: message }, 'old request log lines could not be deleted');
    if (isDamage(error)) onDamage(error);
    return 0;
  }
}
