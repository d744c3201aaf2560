import { DIMENSION_COLUMNS, LATENCY_COLUMNS, MEASURE_COLUMNS } from '../../shared/tables/usage.ts';

/*
 * Minute sums are needed for a few days. After that, the minutes of each quarter-hour are merged into one row, since midnight falls on a
 * quarter-hour in every time zone. Most accounts have one or two requests per hour, for which the hour's row would equal those of its
 * quarters. It is replaced by them, which saves nearly half of the rows. A quarter with a single minute keeps that minute, since the
 * request log is searched by it.
 *
 *   minute     level 'minute', bucket on a whole minute
 *   quarter    level 'minute', marked bucket (see below); the hour's row stays
 *   part       level 'hour', marked bucket; there is no row of the hour
 *   hour       level 'hour', bucket on a whole hour
 *
 * A marked bucket is one millisecond after the start of the quarter, or two after that of its only minute.
 */

export const QUARTER_MS = 900_000;
export const SUMMED_HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** The offset of a quarter's bucket. */
export const QUARTER_MARK_MS = 1;
/** The offset of the bucket of a quarter's only minute. */
export const ONLY_MINUTE_MARK_MS = 2;
/** An hour with more quarters than this keeps its row, since reading one row is faster than four. */
const MOST_PARTS = 2;

/** An account's row in `usage_rollups`. */
export interface SumsRow {
  readonly level: 'minute' | 'hour';
  readonly bucketMs: number;
  /** In the order of `PLACE_COLUMNS`. */
  readonly place: readonly (string | number)[];
  /** In the order of `MEASURE_COLUMNS`, then of `LATENCY_COLUMNS`. */
  readonly measures: readonly bigint[];
  readonly latencyMsMax: bigint;
}

/** The columns that identify a row within an account and bucket. */
export const PLACE_COLUMNS = DIMENSION_COLUMNS.filter((column) => column !== 'account_id');

export interface Thinned {
  /** Hour rows that are replaced by their parts. */
  readonly replaced: readonly SumsRow[];
  readonly added: readonly SumsRow[];
}

/** Returns the end of the time that a row of level `minute`, or a part, covers. */
export function endOfBucket(bucketMs: number): number {
  const mark = bucketMs % MINUTE_MS;
  return bucketMs - mark + (mark === QUARTER_MARK_MS ? QUARTER_MS : MINUTE_MS);
}

/**
 * Merges minutes into quarter-hours. An hour's row is replaced only if it equals the sum of its minutes. Otherwise, as after a late row,
 * both are kept, and each level is correct by itself.
 *
 * @param minutes one account's minute rows, without duplicates
 * @param hours the account's rows of the hours that contain these minutes
 */
export function thinMinutes(minutes: readonly SumsRow[], hours: readonly SumsRow[]): Thinned {
  const hourRows = new Map(hours.map((hour) => [placeIn(hour, SUMMED_HOUR_MS), hour]));
  const groups = new Map<string, Map<number, SumsRow>>();
  for (const minute of minutes) {
    const name = placeIn(minute, SUMMED_HOUR_MS);
    const quarters = groups.get(name) ?? new Map<number, SumsRow>();
    const quarterMs = floor(minute.bucketMs, QUARTER_MS);
    const known = quarters.get(quarterMs);
    quarters.set(
      quarterMs,
      known === undefined
        ? { ...minute, bucketMs: minute.bucketMs + ONLY_MINUTE_MARK_MS }
        : { ...added(known, minute), bucketMs: quarterMs + QUARTER_MARK_MS },
    );
    groups.set(name, quarters);
  }
  const thinned = { replaced: [] as SumsRow[], added: [] as SumsRow[] };
  for (const [name, quarters] of groups) {
    const rows = [...quarters.values()];
    const hour = hourRows.get(name);
    const isReplaced = hour !== undefined && rows.length <= MOST_PARTS && saysTheSame(hour, rows);
    if (isReplaced) thinned.replaced.push(hour);
    thinned.added.push(...rows.map((row) => ({ ...row, level: isReplaced ? ('hour' as const) : row.level })));
  }
  return thinned;
}

function saysTheSame(hour: SumsRow, rows: readonly SumsRow[]): boolean {
  const [first, ...others] = rows;
  if (first === undefined) return false;
  const { measures } = others.reduce(added, first);
  return measures.every((measure, index) => measure === hour.measures[index]);
}

function added(one: SumsRow, other: SumsRow): SumsRow {
  return {
    ...one,
    measures: one.measures.map((measure, index) => measure + (other.measures[index] ?? 0n)),
    latencyMsMax: one.latencyMsMax > other.latencyMsMax ? one.latencyMsMax : other.latencyMsMax,
  };
}

function placeIn({ bucketMs, place }: SumsRow, sizeMs: number): string {
  return JSON.stringify([floor(bucketMs, sizeMs), ...place]);
}

function floor(ms: number, sizeMs: number): number {
  return Math.floor(ms / sizeMs) * sizeMs;
}

/** The columns of `fromSumsRow` and `toSumsValues`, in this order. */
export const SUMS_COLUMNS = [
  'level',
  'bucket_ms',
  ...PLACE_COLUMNS,
  ...MEASURE_COLUMNS,
  ...LATENCY_COLUMNS,
  'latency_ms_max',
] as const;

export function fromSumsRow(row: Readonly<Record<string, unknown>>): SumsRow {
  return {
    level: row.level === 'hour' ? 'hour' : 'minute',
    bucketMs: Number(row.bucket_ms),
    place: PLACE_COLUMNS.map((column) => (column === 'status' ? Number(row[column]) : String(row[column]))),
    // All are integers, of which latency counts are NULL for zero.
    measures: [...MEASURE_COLUMNS, ...LATENCY_COLUMNS].map((column) => BigInt((row[column] as bigint | null) ?? 0n)),
    latencyMsMax: BigInt(row.latency_ms_max as bigint),
  };
}

/** Returns the values for JSON, with amounts as text. */
export function toSumsValues({
  level,
  bucketMs,
  place,
  measures,
  latencyMsMax,
}: SumsRow): readonly (string | number | null)[] {
  const sums = measures.map((sum, index) => (index >= MEASURE_COLUMNS.length && sum === 0n ? null : String(sum)));
  return [level, bucketMs, ...place, ...sums, String(latencyMsMax)];
}
