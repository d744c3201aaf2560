import type { WrittenPlace } from '../../ports/request-log.ts';

/**
 * How long to wait for a number that another one has overtaken: when two nodes write at once, the one with the higher number may finish
 * first.
 */
const LATE_MS = 10_000;
const MOST_MISSING = 1_000;
const MOST_IN_CURSOR = 50;
const CURSOR = /^(\d{1,15})(?:~(\d{1,15}(?:\.\d{1,15}){0,49}))?$/;

/** Which lines of the log have been seen, by the numbers assigned to them in the order of writing. */
export class WrittenTracker {
  /** The numbers below the highest one that have not appeared yet, and when each was found missing. */
  private readonly missing = new Map<number, number>();

  private constructor(private topId: number) {}

  /** Returns a tracker that has seen these ids, which are the newest first. Numbers missing among them may still be in writing. */
  static after(ids: readonly number[], nowMs: number): WrittenTracker {
    const tracker = new WrittenTracker((ids.at(-1) ?? 1) - 1);
    for (const id of ids.toReversed()) tracker.pass(id, nowMs);
    return tracker;
  }

  /** Returns the tracker of a cursor, or `null` if the text is not a cursor. */
  static parse(cursor: string, nowMs: number): WrittenTracker | null {
    const [, top, missing] = CURSOR.exec(cursor) ?? [];
    if (top === undefined) return null;
    const tracker = new WrittenTracker(Number(top));
    for (const id of missing?.split('.') ?? []) tracker.missing.set(Number(id), nowMs);
    return tracker;
  }

  hasSeen(id: number): boolean {
    return id <= this.topId && !this.missing.has(id);
  }

  pass(id: number, nowMs: number): void {
    if (id <= this.topId) {
      this.missing.delete(id);
      return;
    }
    for (let gap = Math.max(this.topId + 1, id - MOST_MISSING); gap < id; gap++) this.missing.set(gap, nowMs);
    this.topId = id;
    for (const first of this.missing.keys()) {
      if (this.missing.size <= MOST_MISSING) break;
      this.missing.delete(first);
    }
  }

  /** Forgets numbers that have been missing for too long, since numbers of failed writes never appear. */
  forgetLate(nowMs: number): void {
    for (const [id, sinceMs] of this.missing) if (nowMs - sinceMs > LATE_MS) this.missing.delete(id);
  }

  place(): WrittenPlace {
    return { topId: this.topId, missing: [...this.missing.keys()] };
  }

  /** Returns the text from which `parse` restores the tracker. */
  cursor(): string {
    if (this.missing.size === 0) return String(this.topId);
    return `${this.topId}~${[...this.missing.keys()].slice(-MOST_IN_CURSOR).join('.')}`;
  }
}
