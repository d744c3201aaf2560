import type { ExportPlace, MissingLines } from '../ports/export-store.ts';
import type { WrittenPlace } from '../ports/request-log.ts';

/**
 * How long to wait for a number that later ones have overtaken. It is longer than any transaction that writes lines may take, so that no
 * line is passed over, and short enough that the numbers of failed writes, which never appear, are forgotten.
 */
export const LATE_MS = 15 * 60_000;
const MOST_GAPS = 1_000;
/** The most missing numbers that are looked for at once. A failed write leaves a gap of at most one batch. */
const MOST_SOUGHT = 10_000;

/** Which lines of the log an export has read. Unlike the place of a live view it is stored, so it holds gaps instead of numbers. */
export class PlaceTracker {
  private gaps: readonly MissingLines[];
  private top: number;

  constructor(place: ExportPlace) {
    this.top = place.topId;
    this.gaps = place.missing;
  }

  get topId(): number {
    return this.top;
  }

  hasSeen(id: number): boolean {
    return id <= this.top && !this.gaps.some(({ firstId, lastId }) => firstId <= id && id <= lastId);
  }

  pass(id: number, nowMs: number): void {
    if (id <= this.top) {
      this.gaps = this.gaps.flatMap((gap) => without(gap, id));
      return;
    }
    if (id > this.top + 1) {
      const gap = { firstId: this.top + 1, lastId: id - 1, sinceMs: nowMs };
      this.gaps = [...this.gaps, gap].slice(-MOST_GAPS);
    }
    this.top = id;
  }

  /** Forgets the numbers that have been missing for too long. */
  forgetLate(nowMs: number): void {
    this.gaps = this.gaps.filter(({ sinceMs }) => nowMs - sinceMs <= LATE_MS);
  }

  place(): ExportPlace {
    return { topId: this.top, missing: this.gaps };
  }

  /** Returns the place from which all unseen lines are read. */
  placeToRead(): WrittenPlace {
    const missing: number[] = [];
    for (const { firstId, lastId } of this.gaps) {
      for (let id = firstId; id <= lastId && missing.length < MOST_SOUGHT; id++) missing.push(id);
    }
    return { topId: this.top, missing };
  }
}

function without(gap: MissingLines, id: number): MissingLines[] {
  const { firstId, lastId } = gap;
  if (id < firstId || id > lastId) return [gap];
  const parts = [
    { ...gap, lastId: id - 1 },
    { ...gap, firstId: id + 1 },
  ];
  return parts.filter((part) => part.firstId <= part.lastId);
}
