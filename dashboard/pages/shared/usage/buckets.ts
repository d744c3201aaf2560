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
/** The minimum of `retention.minute_sums_days`. */
const MINUTES_ARE_KEPT = 2 * DAY;
/** More points are indistinguishable on a chart. */
export const MOST_POINTS = 200;

/** Extends a range to the boundaries of stored sums: minutes, and quarter-hours for older usage (docs/usage-sums.md). */
export function onSums({ from, to }: Range, now = Date.now()): Range {
  const sizeAt = (at: number) => (at < now - MINUTES_ARE_KEPT ? QUARTER : MINUTE);
  const [fromMs, toMs] = [Date.parse(from), Date.parse(to)];
  const start = Math.floor(fromMs / sizeAt(fromMs)) * sizeAt(fromMs);
  const end = Math.ceil(toMs / sizeAt(toMs)) * sizeAt(toMs);
  return { from: new Date(start).toISOString(), to: new Date(Math.max(end, start + sizeAt(start))).toISOString() };
}

/** Returns the smallest bucket that makes not too many points and is still stored; both ends may be partial. */
export function bucketOf({ from, to }: Range, now = Date.now()): Bucket {
  const length = Date.parse(to) - Date.parse(from);
  const smallest = Date.parse(from) < now - MINUTES_ARE_KEPT ? HOUR : MINUTE;
  return LENGTHS.find(([, size]) => size >= smallest && length / size <= MOST_POINTS - 2)?.[0] ?? 'month';
}

/** Returns the buckets that a chart of this period can have. */
export function bucketsOf(range: Range, now = Date.now()): readonly Bucket[] {
  const smallest = bucketOf(range, now);
  const length = Date.parse(range.to) - Date.parse(range.from);
  const all = LENGTHS.slice(LENGTHS.findIndex(([bucket]) => bucket === smallest));
  return all.filter(([bucket, size]) => bucket === smallest || size < length).map(([bucket]) => bucket);
}

/** Returns the local start times of the buckets; the first one is the start of the range. */
export function startsOf({ from, to }: Range, bucket: Bucket): number[] {
  const end = Date.parse(to);
  const starts: number[] = [];
  for (let at = Date.parse(from); at < end && starts.length < 10 * MOST_POINTS; at = endOf(at, bucket)) starts.push(at);
  return starts;
}

function endOf(at: number, bucket: Bucket): number {
  if (bucket === 'minute') return at + MINUTE;
  const date = new Date(at);
  // Not by the calendar: a repeated hour would never end.
  if (bucket === 'hour') return at + HOUR - (at - new Date(date).setMinutes(0, 0, 0));
  const [year, month, day] = [date.getFullYear(), date.getMonth(), date.getDate()];
  if (bucket === 'month') return new Date(year, month + 1, 1).getTime();
  // Weeks begin on Mondays.
  const ahead = bucket === 'week' ? 7 - ((date.getDay() + 6) % 7) : 1;
  return new Date(year, month, day + ahead).getTime();
}

/** Returns an entry per bucket, with `undefined` if there is no usage. */
export function filled<One extends { readonly from: string }>(
  told: readonly One[],
  range: Range,
  bucket: Bucket,
): readonly { readonly at: number; readonly part: One | undefined }[] {
  const parts = new Map<number, One | undefined>(startsOf(range, bucket).map((at) => [at, undefined]));
  for (const part of told) parts.set(Date.parse(part.from), part);
  return [...parts].map(([at, part]) => ({ at, part })).sort((one, other) => one.at - other.at);
}
