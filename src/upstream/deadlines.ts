import type { Failure } from '../domain/failure/failure.ts';

/** Something with a time limit. The owner moves `deadlineMs` as its phases change; nothing is allocated for that. */
export interface Watched {
  /** On the monotonic clock. */
  deadlineMs: number;
  /** Called once the deadline has passed; the owner may set a later one and stay watched. */
  onDeadline(nowMs: number): void;
  /** Ends it with this failure. */
  cut(verdict: Failure): void;
}

const SWEEP_INTERVAL_MS = 25;

/**
 * One sweep for all deadlines, every 25 ms while there are any: moving a deadline costs an assignment, where a timer for
 * every chunk of every stream would cost more than the chunk itself.
 */
export class DeadlineWatch {
  private readonly watched = new Set<Watched>();
  private timer: ReturnType<typeof setInterval> | null = null;

  add(entry: Watched): void {
    this.watched.add(entry);
    if (this.timer === null) this.sweepLater();
  }

  // By itself, since a function with a closure in it makes room for what that captures whenever it is called.
  private sweepLater(): void {
    this.timer = setInterval(() => this.sweep(), SWEEP_INTERVAL_MS);
  }

  delete(entry: Watched): void {
    this.watched.delete(entry);
  }

  cutAll(verdict: Failure): void {
    for (const entry of [...this.watched]) entry.cut(verdict);
  }

  private sweep(): void {
    if (this.watched.size === 0) {
      if (this.timer) clearInterval(this.timer);
      this.timer = null;
      return;
    }
    const nowMs = performance.now();
    for (const entry of this.watched) {
      if (nowMs >= entry.deadlineMs) entry.onDeadline(nowMs);
    }
  }
}
