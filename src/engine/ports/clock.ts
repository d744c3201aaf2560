export interface Clock {
  /** Returns milliseconds since 1970. */
  nowMs(): number;
  /** Returns fractional milliseconds of a monotonic clock, for durations. */
  monotonicMs(): number;
}

/** Resolves after `ms`, or as soon as the signal fires. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

/** Repeats the work every `ms` until the returned function is called. */
export type Every = (ms: number, work: () => void) => () => void;
