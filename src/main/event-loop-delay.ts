import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Clock } from '../engine/ports/clock.ts';

export interface LoopDelay {
  readonly meanMs: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** A histogram of nanoseconds. */
type Measured = Pick<
  ReturnType<typeof monitorEventLoopDelay>,
  'mean' | 'max' | 'percentile' | 'enable' | 'disable' | 'reset'
>;

const WINDOW_MS = 60_000;
/** Fine enough for what a reader of the page would notice, at hardly any cost. */
const RESOLUTION_MS = 20;
const NANOS = 1e6;

/** Measures how late timers fire. It has its own histogram, since that of the metrics is reset at every scrape. */
export class EventLoopDelay {
  private sinceMs: number;
  /** The values of the last complete minute. */
  private last: LoopDelay | null = null;

  constructor(
    private readonly clock: Pick<Clock, 'monotonicMs'>,
    private readonly histogram: Measured = monitorEventLoopDelay({ resolution: RESOLUTION_MS }),
  ) {
    this.sinceMs = clock.monotonicMs();
    this.histogram.enable();
  }

  /** Returns the values of the last complete minute; during the first one, those so far. */
  read(): LoopDelay {
    return this.last ?? this.measured();
  }

  /** Starts a new minute when the current one is complete. To be called once a second. */
  look(): void {
    const nowMs = this.clock.monotonicMs();
    if (nowMs - this.sinceMs < WINDOW_MS) return;
    this.last = this.measured();
    this.histogram.reset();
    this.sinceMs = nowMs;
  }

  stop(): void {
    this.histogram.disable();
  }

  private measured(): LoopDelay {
    const { histogram } = this;
    // Without a sample, the mean is NaN and the minimum is the largest number.
    if (!(histogram.mean >= 0)) return { meanMs: 0, p99Ms: 0, maxMs: 0 };
    const rounded = (nanos: number) => Math.round(nanos / NANOS / 0.1) / 10;
    return {
      meanMs: rounded(histogram.mean),
      p99Ms: rounded(histogram.percentile(99)),
      maxMs: rounded(histogram.max),
    };
  }
}
