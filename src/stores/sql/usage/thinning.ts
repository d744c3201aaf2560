import { DIMENSION_COLUMNS, MEASURE_COLUMNS } from '../../shared/tables/usage.ts';

/*
 * Sums of minutes are needed for a few days. After that the minutes of each quarter of an hour are added up in one row, since midnight is on a
 * quarter of an hour in every time zone.
 *
 * Most accounts have one or two requests in an hour. For them the row of the hour would say the same as those of its quarters, so it is
 * replaced by them: one row for nearly every request, and not two. A quarter with one minute keeps that minute, by which the request log is searched.
 *
 *   minute     level 'minute', its bucket on a whole minute
 *   quarter    level 'minute', its bucket marked (see below); the row of the hour stays
 *   part       level 'hour', its bucket marked; there is no row of the hour
 *   hour       level 'hour', its bucket on a whole hour
 *
 * A marked bucket is a millisecond after the quarter's beginning, or two after its only minute's.
 */

export const QUARTER_MS = 900_000;
export const SUMMED_HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** What the bucket of a quarter is moved by. */
export const QUARTER_MARK_MS = 1;
/** What the bucket of a quarter's only minute is moved by. */
export const ONLY_MINUTE_MARK_MS = 2;
/** An hour with more quarters than this keeps its row: reading one row is faster than four. */
const MOST_PARTS = 2;

/** A row of `usage_rollups` of one account. */
export interface SumsRow {
  readonly level: 'minute' | 'hour';
  readonly bucketMs: number;
  /** In the order of `PLACE_COLUMNS`. */
  readonly place: readonly (string | number)[];
  /** In the order of `MEASURE_COLUMNS`. */
  readonly measures: readonly bigint[];
  readonly latencyMsMax: bigint;
}

/** What tells the rows of one account and one bucket apart. */
export const PLACE_COLUMNS = DIMENSION_COLUMNS.filter((column) => column !== 'account_id');

export interface Thinned {
  /** Rows of hours that are replaced by their parts. */
  readonly replaced: readonly SumsRow[];
  readonly added: readonly SumsRow[];
}

/** Returns when what a row of level `minute`, or a part, sums up has ended. */
export function endOfBucket(bucketMs: number): number {
  const mark = bucketMs % MINUTE_MS;
  return bucketMs - mark + (mark === QUARTER_MARK_MS ? QUARTER_MS : MINUTE_MS);
}

/**
 * Adds minutes up to quarters of an hour. A row of an hour is replaced only if it says exactly what its minutes come to; otherwise, as after a late
 * row, both stay beside each other, and each level is right by itself.
 *
 * @param minutes of one account, none of them twice
 * @param hours the account's rows of the hours that these minutes are in
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
export const SUMS_COLUMNS = ['level', 'bucket_ms', ...PLACE_COLUMNS, ...MEASURE_COLUMNS, 'latency_ms_max'] as const;

export function fromSumsRow(row: Readonly<Record<string, unknown>>): SumsRow {
  return {
    level: row.level === 'hour' ? 'hour' : 'minute',
    bucketMs: Number(row.bucket_ms),
    place: PLACE_COLUMNS.map((column) => (column === 'status' ? Number(row[column]) : String(row[column]))),
    measures: MEASURE_COLUMNS.map((column) => BigInt(row[column] as bigint)), // All of them are integers.
    latencyMsMax: BigInt(row.latency_ms_max as bigint),
  };
}

/** As JSON holds them: amounts as texts. */
export function toSumsValues({
  level,
  bucketMs,
  place,
  measures,
  latencyMsMax,
}: SumsRow): readonly (string | number)[] {
  return [level, bucketMs, ...place, ...measures.map(String), String(latencyMsMax)];
}
