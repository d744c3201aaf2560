import type { Range } from '../../../kit/period.ts';

export type Bucket = 'minute' | 'hour' | 'day' | 'week' | 'month';

const MINUTE = 60_000;
const QUARTER = 15 * MINUTE;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const LENGTHS: readonly (readonly [Bucket, number])[] = [
  ['minute', MINUTE],
  ['hour', HOUR],
  ['day', DAY],
  ['week', 7 * DAY],
  ['month', 28 * DAY],
];
/** The least that `retention.minute_sums_days` can say. */
const MINUTES_ARE_KEPT = 2 * DAY;
/** More points than this say nothing on the width of a chart. */
export const MOST_POINTS = 200;

/** All that a time touches. Usage is summed by minutes, and later on by quarters of an hour (docs/usage-sums.md). */
export function onSums({ from, to }: Range, now = Date.now()): Range {
  const sizeAt = (at: number) => (at < now - MINUTES_ARE_KEPT ? QUARTER : MINUTE);
  const [fromMs, toMs] = [Date.parse(from), Date.parse(to)];
  const start = Math.floor(fromMs / sizeAt(fromMs)) * sizeAt(fromMs);
  const end = Math.ceil(toMs / sizeAt(toMs)) * sizeAt(toMs);
  return { from: new Date(start).toISOString(), to: new Date(Math.max(end, start + sizeAt(start))).toISOString() };
}

/** The smallest parts of which a time has not too many, and that are still told apart; both ends may cut one. */
export function bucketOf({ from, to }: Range, now = Date.now()): Bucket {
  const length = Date.parse(to) - Date.parse(from);
  const smallest = Date.parse(from) < now - MINUTES_ARE_KEPT ? HOUR : MINUTE;
  return LENGTHS.find(([, size]) => size >= smallest && length / size <= MOST_POINTS - 2)?.[0] ?? 'month';
}

/** When the parts of a time begin, where the reader is: the first one with the time itself. */
export function startsOf({ from, to }: Range, bucket: Bucket): number[] {
  const end = Date.parse(to);
  const starts: number[] = [];
  for (let at = Date.parse(from); at < end && starts.length < 10 * MOST_POINTS; at = endOf(at, bucket)) starts.push(at);
  return starts;
}

function endOf(at: number, bucket: Bucket): number {
  if (bucket === 'minute') return at + MINUTE;
  const date = new Date(at);
  // Not by the calendar: an hour that comes twice would never end.
  if (bucket === 'hour') return at + HOUR - (at - new Date(date).setMinutes(0, 0, 0));
  const [year, month, day] = [date.getFullYear(), date.getMonth(), date.getDate()];
  if (bucket === 'month') return new Date(year, month + 1, 1).getTime();
  // Weeks begin on Mondays.
  const ahead = bucket === 'week' ? 7 - ((date.getDay() + 6) % 7) : 1;
  return new Date(year, month, day + ahead).getTime();
}

/** A part for each start, with `undefined` where nothing was told of it. */
export function filled<One extends { readonly from: string }>(
  told: readonly One[],
  range: Range,
  bucket: Bucket,
): readonly { readonly at: number; readonly part: One | undefined }[] {
  const parts = new Map<number, One | undefined>(startsOf(range, bucket).map((at) => [at, undefined]));
  for (const part of told) parts.set(Date.parse(part.from), part);
  return [...parts].map(([at, part]) => ({ at, part })).sort((one, other) => one.at - other.at);
}
