import type { PollIntervals } from '../../formats/shared/tasks/wire.ts';

/** An entry with a due time. */
export interface Due {
  /** In milliseconds of the monotonic clock. */
  dueAtMs: number;
}

/** A priority queue of due entries, earliest first, as a binary heap. */
export class PollSchedule<Entry extends Due> {
  private readonly heap: Entry[] = [];

  get size(): number {
    return this.heap.length;
  }

  add(entry: Entry): void {
    const { heap } = this;
    let at = heap.push(entry) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || above.dueAtMs <= entry.dueAtMs) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = entry;
  }

  /** Removes and returns the earliest entry if it is due by then, else `null`. */
  next(nowMs: number): Entry | null {
    const [first] = this.heap;
    if (first === undefined || first.dueAtMs > nowMs) return null;
    const last = this.heap.pop();
    if (last !== undefined && last !== first) this.sink(last);
    return first;
  }

  private sink(entry: Entry): void {
    const { heap } = this;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const [one, other] = [heap[left], heap[left + 1]];
      if (one === undefined) break;
      const isRight = other !== undefined && other.dueAtMs < one.dueAtMs;
      const earlier = isRight ? other : one;
      if (earlier.dueAtMs >= entry.dueAtMs) break;
      heap[at] = earlier;
      at = isRight ? left + 1 : left;
    }
    heap[at] = entry;
  }
}

export const USUAL_INTERVALS: PollIntervals = { firstMs: 3_000, leastMs: 3_000, mostMs: 30_000 };

/** The longer a job takes, the less a slightly later notice of its end matters. */
const SHARE_OF_AGE = 0.1;
const LONGEST_BACKOFF_MS = 300_000;
const FIRST_BACKOFF_MS = 2_000;
/** A random share of each wait, so that jobs submitted together are not polled together. */
const JITTER = 0.2;

interface Waiting {
  /** Milliseconds since the job was submitted. */
  readonly ageMs: number;
  /** The number of consecutive failed polls. */
  readonly errors: number;
  /** The delay that the upstream, or its failure, asks for; 0 for at once. */
  readonly afterMs: number | null;
  /** Replaces the provider's own intervals; `null` for none. */
  readonly fixedMs: number | null;
}

/** Returns the milliseconds until the next poll of a job. */
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
