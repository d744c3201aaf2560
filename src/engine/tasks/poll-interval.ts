import type { PollIntervals } from '../../formats/wire.ts';

export const USUAL_INTERVALS: PollIntervals = { firstMs: 3_000, leastMs: 3_000, mostMs: 30_000 };

/** The longer a job takes, the less does it matter to hear of its end a little later. */
const SHARE_OF_AGE = 0.1;
const LONGEST_BACKOFF_MS = 300_000;
const FIRST_BACKOFF_MS = 2_000;
/** Of each wait at random, so that jobs that were submitted together are not asked for together. */
const JITTER = 0.2;

export interface Waiting {
  /** Since the job was submitted. */
  readonly ageMs: number;
  /** How often in a row the upstream could not be asked. */
  readonly errors: number;
  /** What the upstream, or its failure, says itself; 0 for at once. */
  readonly afterMs: number | null;
  /** In place of the provider's own intervals. */
  readonly fixedMs: number | null;
}

/** How long to wait before a job is asked for again, in milliseconds. */
export function waitMs(intervals: PollIntervals, waiting: Waiting, random: () => number): number {
  const { ageMs, errors, afterMs, fixedMs } = waiting;
  if (afterMs === 0 && errors === 0) return 0;
  const usual = fixedMs ?? Math.min(intervals.mostMs, Math.max(intervals.leastMs, ageMs * SHARE_OF_AGE));
  const backoff =
    errors === 0 ? 0 : Math.min(LONGEST_BACKOFF_MS, (fixedMs ?? FIRST_BACKOFF_MS) * 2 ** Math.min(errors, 20));
  const wanted = Math.max(usual, backoff, Math.min(LONGEST_BACKOFF_MS, afterMs ?? 0));
  return wanted * (1 + JITTER * random());
}

export function firstWaitMs({ firstMs }: PollIntervals, fixedMs: number | null, random: () => number): number {
  return (fixedMs ?? firstMs) * (1 + JITTER * random());
}
