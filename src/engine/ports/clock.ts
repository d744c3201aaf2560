export interface Clock {
  /** Milliseconds since 1970. */
  nowMs(): number;
  /** Milliseconds of a clock that never jumps, with fractions: for durations. */
  monotonicMs(): number;
}

/** Resolves after the time, or as soon as the signal fires. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;
