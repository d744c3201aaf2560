import type { Clock } from '../../ports/clock.ts';

/** A clock for tests that moves only when a test moves it. */
export class FakeClock implements Clock {
  constructor(private timeMs = 1_700_000_000_000) {}

  nowMs(): number {
    return this.timeMs;
  }

  monotonicMs(): number {
    return this.timeMs;
  }

  advance(byMs: number): void {
    this.timeMs += byMs;
  }
}
