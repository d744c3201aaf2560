import { describeError } from '../domain/text/describe-error.ts';
import { rollUsage } from '../engine/admin/usage/roll-usage.ts';
import type { Logger } from '../engine/ports/logger.ts';
import type { UsageStore } from '../engine/ports/usage-store.ts';
import { type DeleteOldOptions, deleteOld } from '../engine/retention/delete-old.ts';

const FIRST_AFTER_MS = 60_000;
const EVERY_MS = 3_600_000;
/** The pause between two batches, in which requests are handled. */
const BETWEEN_MS = 20;

interface RetentionTimes {
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

const ROLL_EVERY_MS = 5_000;
/** The pause between two batches of a long queue, in which requests are handled. */
const BETWEEN_ROLLS_MS = 5;

/** Rolls up usage while the process runs; returns a function that stops it. It runs on each node, but the store admits one at a time. */
export function rollUsageUp(usage: UsageStore, logger: Logger): () => Promise<void> {
  let isStopped = false;
  let running: Promise<void> = Promise.resolve();
  const between = async () => {
    if (isStopped) throw new Error('the gateway stops');
    await Bun.sleep(BETWEEN_ROLLS_MS);
  };
  const roll = async () => {
    try {
      await rollUsage(usage, between);
    } catch (error) {
      // Nothing is lost: usage that is not rolled up is read unaggregated.
      if (!isStopped) logger.warn(describeError(error), 'usage could not be rolled up; retrying');
    }
  };
  let timer = setTimeout(wake, ROLL_EVERY_MS);
  timer.unref();
  function wake(): void {
    running = roll().finally(() => {
      if (isStopped) return;
      timer = setTimeout(wake, ROLL_EVERY_MS);
      timer.unref();
    });
  }
  return async () => {
    isStopped = true;
    clearTimeout(timer);
    await running;
  };
}
