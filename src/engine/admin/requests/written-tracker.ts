import type { WrittenPlace } from '../../ports/request-log.ts';

/** How long a number is waited for that another one has overtaken: two nodes write at once, and the later one is done first. */
const LATE_MS = 10_000;
const MOST_MISSING = 1_000;
const MOST_IN_CURSOR = 50;
const CURSOR = /^(\d{1,15})(?:~(\d{1,15}(?:\.\d{1,15}){0,49}))?$/;

/** Which lines of the log have been seen, by the numbers that they got in the order of writing. */
export class WrittenTracker {
  /** Numbers below the top that have not come yet, and when that was found. */
  private readonly missing = new Map<number, number>();

  private constructor(private topId: number) {}

  /** After these, the newest first: what is missing among them is still being written. */
  static after(ids: readonly number[], nowMs: number): WrittenTracker {
    const tracker = new WrittenTracker((ids.at(-1) ?? 1) - 1);
    for (const id of ids.toReversed()) tracker.pass(id, nowMs);
    return tracker;
  }

  /** `null` where the text is none of a tracker's. */
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

  /** Numbers of writes that have failed never come. */
  forgetLate(nowMs: number): void {
    for (const [id, sinceMs] of this.missing) if (nowMs - sinceMs > LATE_MS) this.missing.delete(id);
  }

  place(): WrittenPlace {
    return { topId: this.topId, missing: [...this.missing.keys()] };
  }

  /** From which `parse` goes on. */
  cursor(): string {
    if (this.missing.size === 0) return String(this.topId);
    return `${this.topId}~${[...this.missing.keys()].slice(-MOST_IN_CURSOR).join('.')}`;
  }
}
