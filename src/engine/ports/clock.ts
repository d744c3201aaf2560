export interface Clock {
  /** Milliseconds since 1970. */
  nowMs(): number;
  /** Milliseconds of a clock that never jumps, with fractions: for durations. */
  monotonicMs(): number;
}

/** Resolves after the time, or as soon as the signal fires. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

/** Does the work again and again, until the function that it returns is called. */
export type Every = (ms: number, work: () => void) => () => void;
