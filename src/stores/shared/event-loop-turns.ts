import type { Turns } from '../../domain/concurrency/slices.ts';

/** Yields to this process's event loop. */
export const eventLoopTurns: Turns = {
  nowMs: () => performance.now(),
  pause: () => new Promise((resolve) => setImmediate(resolve)),
};
