export interface Clock {
  /** Milliseconds since 1970. */
  nowMs(): number;
  /** Milliseconds of a clock that never jumps, with fractions: for durations. */
  monotonicMs(): number;
}
