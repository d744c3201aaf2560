import type { Clock } from '../../src/engine/ports/clock.ts';

/** A clock that stands still until a test advances it. It starts at the current time, so that its timestamps are not expired. */
export class TestClock implements Clock {
  readonly #startedAtMs = Date.now();
  #passedMs = 0;

  nowMs(): number {
    return this.#startedAtMs + this.#passedMs;
  }

  monotonicMs(): number {
    return this.#passedMs;
  }

  /** Advances both clocks. The runtime's timers are not affected. */
  advance(ms: number): void {
    this.#passedMs += ms;
  }
}

/** A running clock that a test can advance. */
export class RunningClock implements Clock {
  #movedMs = 0;

  nowMs(): number {
    return Date.now() + this.#movedMs;
  }

  monotonicMs(): number {
    return performance.now() + this.#movedMs;
  }

  /** Advances both clocks. The runtime's timers are not affected. */
  advance(ms: number): void {
    this.#movedMs += ms;
  }
}
