import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Clock } from '../engine/ports/clock.ts';

export interface LoopDelay {
  readonly meanMs: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** In nanoseconds. */
type Measured = Pick<
  ReturnType<typeof monitorEventLoopDelay>,
  'mean' | 'max' | 'percentile' | 'enable' | 'disable' | 'reset'
>;

const WINDOW_MS = 60_000;
/** Fine enough to see what a reader of the page would feel, and hardly any work. */
const RESOLUTION_MS = 20;
const NANOS = 1e6;

/**
 * How late the process gets to its timers. A histogram of its own: that of the metrics begins anew whenever they are scraped.
 */
export class EventLoopDelay {
  private sinceMs: number;
  /** Of the last minute that is over. */
  private last: LoopDelay | null = null;

  constructor(
    private readonly clock: Pick<Clock, 'monotonicMs'>,
    private readonly histogram: Measured = monitorEventLoopDelay({ resolution: RESOLUTION_MS }),
  ) {
    this.sinceMs = clock.monotonicMs();
    this.histogram.enable();
  }

  /** Of the last whole minute; of what there is of the first one before. */
  read(): LoopDelay {
    return this.last ?? this.measured();
  }

  /** Begins another minute where one is over. Call it once a second. */
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
    // Without a sample yet, the mean is no number and the least one the largest there is.
    if (!(histogram.mean >= 0)) return { meanMs: 0, p99Ms: 0, maxMs: 0 };
    const rounded = (nanos: number) => Math.round(nanos / NANOS / 0.1) / 10;
    return {
      meanMs: rounded(histogram.mean),
      p99Ms: rounded(histogram.percentile(99)),
      maxMs: rounded(histogram.max),
    };
  }
}
