import type { Clock } from '../ports/clock.ts';

const WINDOW_MS = 60_000;

/** The most senders that are remembered; the oldest is evicted first, so that many addresses cannot fill the memory. */
export const MOST_SENDERS = 10_000;

interface Counted {
  count: number;
  readonly sinceMs: number;
}

/** A sender's count in its current minute. */
export interface MinuteCount {
  /** Includes this request. */
  readonly count: number;
  /** Milliseconds until the sender's next minute begins. */
  readonly endsInMs: number;
}

/**
 * Counts the requests of senders that anyone can forge, such as network addresses, in the memory of this process. A sender's minute begins
 * with its first request.
 */
export class MinuteCounts {
  /** Ordered by the beginning of the minute. */
  private readonly counted = new Map<string, Counted>();

  constructor(private readonly clock: Pick<Clock, 'monotonicMs'>) {}

  add(sender: string): MinuteCount {
    const nowMs = this.clock.monotonicMs();
    let counted = this.counted.get(sender);
    if (counted === undefined || nowMs >= counted.sinceMs + WINDOW_MS) {
      this.counted.delete(sender);
      counted = { count: 0, sinceMs: nowMs };
      if (this.counted.size >= MOST_SENDERS) this.forgetFirst();
      this.counted.set(sender, counted);
    }
    counted.count++;
    return { count: counted.count, endsInMs: counted.sinceMs + WINDOW_MS - nowMs };
  }

  private forgetFirst(): void {
    const [first] = this.counted.keys();
    if (first !== undefined) this.counted.delete(first);
  }
}
