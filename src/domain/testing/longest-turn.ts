import { pause } from './until.ts';

/**
 * Runs the work, and resolves to the most CPU milliseconds between two turns of the event loop meanwhile: the longest time that
 * everything else had to wait. Unlike wall-clock time, it does not include the time that a busy machine gave to other processes.
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
