import { pause } from './until.ts';

/**
 * Runs the work, and resolves to the most milliseconds of the processor that went by between two turns of the event loop meanwhile: so long
 * all else had to wait. Unlike the time on a clock it does not count what a busy machine gave to others.
 */
export async function longestTurnMs(work: () => Promise<unknown>): Promise<number> {
  let longestMs = 0;
  let isDone = false;
  const watch = async () => {
    for (let before = process.cpuUsage(); !isDone; before = process.cpuUsage()) {
      await pause();
      const { user, system } = process.cpuUsage(before);
      longestMs = Math.max(longestMs, (user + system) / 1_000);
    }
  };
  const watching = watch();
  try {
    await work();
  } finally {
    isDone = true;
    await watching;
  }
  return longestMs;
}
