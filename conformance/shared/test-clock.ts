import type { Clock } from '../../src/engine/ports/clock.ts';

/** A clock that stands still until a test moves it. It begins at the present, so that what it stamps is not out of date. */
export class TestClock implements Clock {
  readonly #startedAtMs = Date.now();
  #passedMs = 0;

  nowMs(): number {
    return this.#startedAtMs + this.#passedMs;
  }

  monotonicMs(): number {
    return this.#passedMs;
  }

  /** Moves both clocks on. Timers of the runtime do not follow. */
  advance(ms: number): void {
    this.#passedMs += ms;
  }
}

/** A clock that runs as the system's does, and that a test can move on. */
export class RunningClock implements Clock {
  #movedMs = 0;

  nowMs(): number {
    return Date.now() + this.#movedMs;
  }

  monotonicMs(): number {
    return performance.now() + this.#movedMs;
  }

  /** Moves both clocks on. Timers of the runtime do not follow. */
  advance(ms: number): void {
    this.#movedMs += ms;
  }
}
