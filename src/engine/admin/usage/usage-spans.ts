import { budgetWindow, isTimeZone } from '../../../domain/money/budget.ts';
import type { Thinning } from '../../ports/retention-store.ts';
import type { UsageSpan } from '../../ports/usage-store.ts';
import type { RetentionSettings } from '../../settings/settings.ts';
import { AdminError } from '../admin-error.ts';
import { isoTime } from '../view-fields.ts';

export const USAGE_BUCKETS = ['none', 'minute', 'hour', 'day', 'week', 'month'] as const;
export type UsageBucket = (typeof USAGE_BUCKETS)[number];

export const MOST_ROWS = 10_000;
const MINUTE_MS = 60_000;
const QUARTER_MS = 15 * MINUTE_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** How far back the sums of minutes and hours are kept; times are in milliseconds since 1970. */
export interface KeptSums {
  /** The time from which there are sums of minutes; before it there are sums of quarters of an hour. */
  readonly minutesFromMs: number;
  /** The time before which there are only sums of days (UTC). */
  readonly quartersFromMs: number;
  /** The time before which the most expensive of all accounts cannot be found. */
  readonly ranksFromMs: number;
}

export interface WantedSpans extends UsageSpan {
  readonly bucket: UsageBucket;
  /** The IANA name of the zone whose calendar the buckets follow. */
  readonly timeZone: string;
}

/** Returns the range divided into buckets; the range may cut the first and the last one. Throws `AdminError`. */
export function usageSpans({ fromMs, toMs, bucket, timeZone }: WantedSpans): readonly UsageSpan[] {
  refuseSplitMinute('from', fromMs);
  refuseSplitMinute('to', toMs);
  if (fromMs >= toMs) throw new AdminError('invalid_value', 'to', 'must be later than "from"');
  refuseUnknownZone(timeZone);
  const endOf = ends(bucket, timeZone, toMs);
  const spans: UsageSpan[] = [];
  for (let at = fromMs; at < toMs; ) {
    if (spans.length >= MOST_ROWS) throw tooManyRows('bucket');
    const next = Math.min(toMs, endOf(at));
    spans.push({ fromMs: at, toMs: next });
    at = next;
  }
  return spans;
}

/** Returns what is kept at this moment, on whole days (UTC). */
export function keptSums(
  { minuteSumsMs, hourSumsMs }: Pick<RetentionSettings, 'minuteSumsMs' | 'hourSumsMs'>,
  { minutesBeforeMs, hoursBeforeMs, ranksBeforeMs }: Omit<Thinning, 'doneUntilMs'>,
  nowMs: number,
): KeptSums {
  const onDay = (ms: number) => Math.floor(ms / DAY_MS) * DAY_MS;
  // Sums deleted under an earlier, shorter period do not come back.
  const quartersFromMs = Math.max(onDay(nowMs - hourSumsMs), hoursBeforeMs);
  const onHour = Math.ceil((nowMs - minuteSumsMs) / HOUR_MS) * HOUR_MS;
  const minutesFromMs = Math.max(quartersFromMs, onHour, minutesBeforeMs);
  return { minutesFromMs, quartersFromMs, ranksFromMs: ranksBeforeMs };
}

/** Returns a range widened to what is kept: a bound too old for sums of minutes moves to the edge of its quarter of an hour or day. */
export function widened<Range extends UsageSpan>(range: Range, kept: KeptSums): Range {
  const sizeAt = (ms: number) => (ms < kept.quartersFromMs ? DAY_MS : ms < kept.minutesFromMs ? QUARTER_MS : 1);
  const [before, after] = [sizeAt(range.fromMs), sizeAt(range.toMs)];
  return {
    ...range,
    fromMs: Math.floor(range.fromMs / before) * before,
    toMs: Math.ceil(range.toMs / after) * after,
  };
}

/** Throws `AdminError` for spans that begin or end within a kept sum. */
export function refuseForgotten(spans: readonly UsageSpan[], kept: KeptSums, field = 'bucket'): void {
  const { quartersFromMs, minutesFromMs } = kept;
  if (!fits(spans, quartersFromMs, DAY_MS)) throw forgotten(field, 'day (UTC)', 'hour_sums_days', quartersFromMs);
  if (!fits(spans, minutesFromMs, QUARTER_MS)) {
    throw forgotten(field, 'quarter of an hour', 'minute_sums_days', minutesFromMs);
  }
}

/** Returns whether no span begins or ends within a kept sum. */
export function isKept(spans: readonly UsageSpan[], kept: KeptSums): boolean {
  return fits(spans, kept.quartersFromMs, DAY_MS) && fits(spans, kept.minutesFromMs, QUARTER_MS);
}

function fits(spans: readonly UsageSpan[], beforeMs: number, sizeMs: number): boolean {
  const isRight = (ms: number) => ms >= beforeMs || ms % sizeMs === 0;
  return spans.every(({ fromMs, toMs }) => isRight(fromMs) && isRight(toMs));
}

function forgotten(field: string, size: string, setting: string, fromMs: number): AdminError {
  const before = isoTime(fromMs);
  const problem = `needs finer data than is stored: before ${before}, usage is summed by ${size} (retention.${setting})`;
  const remedy = field === 'bucket' ? 'choose larger buckets, the time zone UTC, or a later time' : 'choose UTC';
  return new AdminError('invalid_value', field, `${problem}; ${remedy}`);
}

/** Throws `AdminError` if the time zone is unknown. */
export function refuseUnknownZone(timeZone: string): void {
  if (isTimeZone(timeZone)) return;
  throw new AdminError('invalid_value', 'time_zone', 'must be the IANA name of a time zone, such as Europe/Berlin');
}

/** Returns the calendar month that contains a moment, on whole minutes. */
export function monthSpan(atMs: number, timeZone: string): UsageSpan {
  const { startsAtMs, endsAtMs } = budgetWindow({ per: 'month', timeZone }, atMs);
  return { fromMs: onMinute(startsAtMs), toMs: onMinute(endsAtMs) };
}

export function tooManyRows(field: string): AdminError {
  const message = `would return more than ${MOST_ROWS} rows; choose a shorter time, larger buckets, or fewer groups`;
  return new AdminError('invalid_value', field, message);
}

function refuseSplitMinute(field: 'from' | 'to', atMs: number): void {
  if (atMs % MINUTE_MS === 0) return;
  const nearest = isoTime(Math.round(atMs / MINUTE_MS) * MINUTE_MS);
  throw new AdminError(
    'invalid_value',
    field,
    `must be a whole minute: usage is summed by the minute. The nearest is ${nearest}`,
  );
}

/** Returns a function that returns the end of the bucket which contains a moment. */
function ends(bucket: UsageBucket, timeZone: string, toMs: number): (atMs: number) => number {
  switch (bucket) {
    case 'none':
      return () => toMs;
    case 'minute':
      return (atMs) => atMs + MINUTE_MS;
    case 'hour': {
      // Zones differ by quarters of an hour.
      const day = (atMs: number) => budgetWindow({ per: 'day', timeZone }, atMs);
      let window = day(toMs);
      return (atMs) => {
        if (atMs < window.startsAtMs || atMs >= window.endsAtMs) window = day(atMs);
        const hours = Math.floor((atMs - window.startsAtMs) / HOUR_MS) + 1;
        return Math.min(window.endsAtMs, onMinute(window.startsAtMs) + hours * HOUR_MS);
      };
    }
    case 'day': {
      const isMidnight = midnight(timeZone);
      return (atMs) => {
        // Finding each midnight takes fifty times as long as checking that it is a day later, as it nearly always is.
        if (isMidnight(atMs) && isMidnight(atMs + DAY_MS)) return atMs + DAY_MS;
        return onMinute(budgetWindow({ per: 'day', timeZone }, atMs).endsAtMs);
      };
    }
    default:
      return (atMs) => onMinute(budgetWindow({ per: bucket, timeZone }, atMs).endsAtMs);
  }
}

function midnight(timeZone: string): (atMs: number) => boolean {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  return (atMs) => format.format(atMs) === '00:00';
}

/** Rounds up to a whole minute, since clocks of some places used to differ by seconds. */
function onMinute(atMs: number): number {
  return Math.ceil(atMs / MINUTE_MS) * MINUTE_MS;
}
