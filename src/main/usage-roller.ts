import { describeError } from '../domain/text/describe-error.ts';
import { rollUsage } from '../engine/admin/usage/roll-usage.ts';
import type { Logger } from '../engine/ports/logger.ts';
import type { UsageStore } from '../engine/ports/usage-store.ts';

const EVERY_MS = 5_000;
/** The pause between two batches of a long queue, in which requests are handled. */
const BETWEEN_MS = 5;

/** Rolls up usage while the process runs; returns a function that stops it. It runs on each node, but the store admits one at a time. */
export function rollUsageUp(usage: UsageStore, logger: Logger): () => Promise<void> {
  let isStopped = false;
  let running: Promise<void> = Promise.resolve();
  const between = async () => {
    if (isStopped) throw new Error('the gateway stops');
    await Bun.sleep(BETWEEN_MS);
  };
  const roll = async () => {
    try {
      await rollUsage(usage, between);
    } catch (error) {
      // Nothing is lost: usage that is not rolled up is read unaggregated.
      if (!isStopped) logger.warn(describeError(error), 'usage could not be rolled up; retrying');
    }
  };
  let timer = setTimeout(wake, EVERY_MS);
  timer.unref();
  function wake(): void {
    running = roll().finally(() => {
      if (isStopped) return;
      timer = setTimeout(wake, EVERY_MS);
      timer.unref();
    });
  }
  return async () => {
    isStopped = true;
    clearTimeout(timer);
    await running;
  };
}
