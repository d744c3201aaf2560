import type { Turns } from '../../domain/concurrency/slices.ts';

/** This process' event loop. */
export const eventLoopTurns: Turns = {
  nowMs: () => performance.now(),
  pause: () => new Promise((resolve) => setImmediate(resolve)),
};
