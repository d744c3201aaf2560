import type { UsageStore } from '../../ports/usage-store.ts';

/** How many rows are moved in one transaction: a few milliseconds of work, which holds up what else is to be written. */
const BATCH_ROWS = 100;

/** Moves what usage has come to into the sums of minutes, hours and days, a batch at a time; `between` is awaited between two of them. */
export async function rollUsage(usage: UsageStore, between: () => Promise<unknown>): Promise<number> {
  for (let moved = 0; ; ) {
    const now = await usage.roll(BATCH_ROWS);
    moved += now;
    if (now < BATCH_ROWS) return moved;
    await between();
  }
}
