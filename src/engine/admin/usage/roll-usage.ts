import type { UsageStore } from '../../ports/usage-store.ts';

/** The rows of a batch, which is a few milliseconds of work that delays other writes. */
const BATCH_ROWS = 100;

/**
 * Moves recorded usage into the sums of minutes, hours and days, a batch at a time, and awaits `between` after each batch that is not the
 * last.
 */
export async function rollUsage(usage: UsageStore, between: () => Promise<unknown>): Promise<number> {
  for (let all = 0; ; ) {
    const { moved, isMore } = await usage.roll(BATCH_ROWS);
    all += moved;
    if (!isMore) return all;
    await between();
  }
}
