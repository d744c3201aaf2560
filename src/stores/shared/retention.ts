import type { Logger } from '../../engine/ports/logger.ts';
import { errorCodeOf } from './error-code.ts';

/** Small enough that one batch holds up other writes for a few milliseconds only. */
export const RETENTION_BATCH_ROWS = 500;

export interface RetentionOptions {
  /** What is deleted, as the log names it. */
  readonly what: string;
  /** Deletes at most `RETENTION_BATCH_ROWS`; gives whether there may be more. */
  readonly deleteBatch: () => boolean | Promise<boolean>;
  readonly logger: Logger;
  readonly firstAfterMs?: number;
  readonly everyMs?: number;
  readonly betweenBatchesMs?: number;
}

/** Deletes expired rows, a few at a time, soon after the start and then once an hour. Returns a function that stops it. */
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

/** A failure is tried again with the next hour's. */
async function deleteBatch({ what, deleteBatch, logger }: RetentionOptions): Promise<boolean> {
  try {
    return await deleteBatch();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    logger.warn({ code: errorCodeOf(error), error: message }, `old ${what} could not be deleted`);
    return false;
  }
}
