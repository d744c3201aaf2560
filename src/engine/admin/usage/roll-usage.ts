import type { UsageStore } from '../../ports/usage-store.ts';

/** A few milliseconds of work, which holds up what else is to be written. */
const BATCH_ROWS = 100;

/** Moves what usage has come to into the sums of minutes, hours and days, a batch at a time; `between` is awaited between two of them. */
export async function rollUsage(usage: UsageStore, between: () => Promise<unknown>): Promise<number> {
  for (let all = 0; ; ) {
    const { moved, isMore } = await usage.roll(BATCH_ROWS);
    all += moved;
    if (!isMore) return all;
    await between();
  }
}
