import { describeError } from '../domain/text/describe-error.ts';
import { type DeleteOldOptions, deleteOld } from '../engine/retention/delete-old.ts';

const FIRST_AFTER_MS = 60_000;
const EVERY_MS = 3_600_000;
/** The pause between two batches, in which requests are handled. */
const BETWEEN_MS = 20;

export interface RetentionTimes {
  readonly firstAfterMs: number;
  readonly everyMs: number;
}

/** Deletes old data soon after the start and then every hour; returns a function that stops it. */
export function deleteOldData(
  options: Omit<DeleteOldOptions, 'between'>,
  { firstAfterMs, everyMs }: RetentionTimes = { firstAfterMs: FIRST_AFTER_MS, everyMs: EVERY_MS },
): () => Promise<void> {
  let isStopped = false;
  let running: Promise<unknown> = Promise.resolve();
  let timer = wakeAfter(firstAfterMs);
  const between = async () => {
    if (isStopped) throw new Error('the gateway stops');
    await Bun.sleep(BETWEEN_MS);
  };
  function wakeAfter(milliseconds: number): Timer {
    const next = setTimeout(() => {
      running = deleteOld({ ...options, between })
        .catch((error) => {
          if (!isStopped) options.logger.warn(describeError(error), 'old data could not be deleted; retrying later');
        })
        .finally(() => {
          if (!isStopped) timer = wakeAfter(everyMs);
        });
    }, milliseconds);
    next.unref();
    return next;
  }
  return async () => {
    isStopped = true;
    clearTimeout(timer);
    await running;
  };
}
