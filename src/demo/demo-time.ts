import type { Rhythm } from './customers.ts';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** The time span that the demo covers. */
export class DemoTime {
  readonly fromMs: number;

  constructor(
    readonly nowMs: number,
    readonly days: number,
  ) {
    this.fromMs = nowMs - days * DAY_MS;
  }

  /** Returns the time at a part of the span, from 0 (its beginning) to 1 (now). */
  at(part: number): number {
    return this.fromMs + Math.floor((this.nowMs - this.fromMs) * part);
  }

  partOf(atMs: number): number {
    return (atMs - this.fromMs) / (this.nowMs - this.fromMs);
  }

  /** Returns the afternoon (UTC) of a working day near that part, when traffic is high. */
  afternoonAt(part: number): number {
    const day = Math.floor(this.at(part) / DAY_MS) * DAY_MS;
    const weekday = new Date(day).getUTCDay();
    const back = weekday === 0 ? 2 : weekday === 6 ? 1 : 0;
    const atMs = day - back * DAY_MS + 14 * HOUR_MS;
    return Math.min(Math.max(atMs, this.fromMs), this.nowMs - 4 * HOUR_MS);
  }
}

/** The activity per hour of the day. */
const HOURS: Readonly<Record<Rhythm, readonly number[]>> = {
  office: [2, 1, 1, 1, 1, 2, 5, 18, 46, 78, 96, 92, 64, 82, 98, 100, 88, 60, 30, 18, 13, 9, 6, 4],
  evening: [14, 8, 5, 3, 2, 3, 10, 24, 30, 28, 30, 34, 40, 38, 40, 48, 60, 74, 88, 98, 100, 82, 52, 28],
  night: [60, 96, 100, 98, 74, 34, 18, 20, 30, 34, 32, 30, 26, 30, 32, 30, 28, 22, 14, 10, 8, 8, 12, 26],
  steady: [44, 42, 70, 96, 62, 44, 46, 54, 66, 74, 78, 76, 70, 74, 78, 76, 72, 64, 56, 52, 50, 48, 46, 44],
};

const WEEKEND: Readonly<Record<Rhythm, number>> = { office: 0.16, evening: 1.2, night: 0.7, steady: 0.62 };

/** Returns the relative activity in the hour that begins at `hourMs`. */
export function busyness(rhythm: Rhythm, zone: number, hourMs: number): number {
  const local = new Date(hourMs + zone * HOUR_MS);
  const weekday = local.getUTCDay();
  const isWeekend = weekday === 0 || weekday === 6;
  return (HOURS[rhythm][local.getUTCHours()] ?? 0) * (isWeekend ? WEEKEND[rhythm] : 1);
}
