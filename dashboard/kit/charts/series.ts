import { type Formats, useFormat } from '../format.tsx';
import type { Tone } from '../status.tsx';
import { type ChartUnit, linearTicks, logTicks } from './axis.ts';

export interface SeriesRow {
  /** The beginning of the interval, in milliseconds since 1970. */
  readonly at: number;
  /** One value per series, in order; null if unknown. */
  readonly values: readonly (number | null)[];
}

export interface Series {
  readonly name: string;
  /** A colour with a meaning, in place of the next one. */
  readonly tone?: Tone;
}

export interface TimeSeriesProps {
  /** Oldest first; a few hundred at most. */
  readonly rows: readonly SeriesRow[];
  readonly series: readonly Series[];
  readonly kind: 'line' | 'area' | 'bars';
  readonly isStacked?: boolean;
  readonly format: (value: number) => string;
  /** `count` by default. Durations that differ too much for a linear axis get a logarithmic one. */
  readonly unit?: ChartUnit;
  readonly height?: number;
  /** A description of the chart for screen readers. */
  readonly label: string;
}

const SERIES_COLOURS = 6;

export function colourOf({ tone }: Series, index: number): string {
  if (tone === 'neutral') return 'var(--strong-line)';
  return tone ? `var(--${tone})` : `var(--series-${index % SERIES_COLOURS})`;
}

export function shown(value: number | null | undefined, format: (value: number) => string): string {
  return value === null || value === undefined ? '–' : format(value);
}

export interface ValueAxis {
  /** `null` for negative values, which the chart's own axis shows. */
  readonly ticks: readonly number[] | null;
  readonly isLog: boolean;
}

/** Returns the vertical axis of a chart: round ticks around all values. */
export function valueAxisOf({
  rows,
  kind,
  isStacked = false,
  unit = 'count',
}: Omit<TimeSeriesProps, 'height'>): ValueAxis {
  const values = rows.flatMap((row) => row.values.filter((value) => value !== null));
  if (values.some((value) => value < 0)) return { ticks: null, isLog: false };
  const log = unit === 'ms' && kind === 'line' ? logTicks(values) : null;
  if (log !== null) return { ticks: log, isLog: true };
  const sums = rows.map((row) => row.values.reduce<number>((sum, value) => sum + (value ?? 0), 0));
  return { ticks: linearTicks(Math.max(0, ...(isStacked ? sums : values)), unit), isLog: false };
}

/** Returns the format of an axis label: short, and with as many decimals as the step between labels needs. */
export function tickFormat(unit: ChartUnit, ticks: readonly number[], format: Formats): (value: number) => string {
  if (unit === 'ms') return (value) => format.duration(value);
  if (unit === 'share') return (value) => format.percent(value);
  if (unit === 'count') return (value) => format.compact(value);
  const step = (ticks[1] ?? 1) - (ticks[0] ?? 0);
  const decimals = step >= 1 ? 0 : Math.max(2, Math.ceil(-Math.log10(step) - 1e-9));
  return (value) => format.money(String(value), decimals);
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const MINUTE = 60_000;
const STEPS_MINUTES = [1, 5, 10, 15, 30, 60, 120, 180, 240, 360, 720];
const MOST_TICKS = 7;

/** Returns the rows that begin at a round local time (ten minutes, three hours and so on), as many as fit on an axis. */
function roundTimes(rows: readonly SeriesRow[], span: number): number[] {
  const step = STEPS_MINUTES.find((minutes) => span / (minutes * MINUTE) <= MOST_TICKS) ?? DAY / MINUTE;
  return rows.map(({ at }) => at).filter((at) => isRound(new Date(at), step));
}

function isRound(date: Date, stepMinutes: number): boolean {
  return date.getSeconds() === 0 && (date.getHours() * 60 + date.getMinutes()) % stepMinutes === 0;
}

/** Returns formatters of times that are as short as the span of the rows allows, in the reader's locale and zone. */
export function useTimes(rows: readonly SeriesRow[]) {
  const { locale } = useFormat();
  const span = (rows.at(-1)?.at ?? 0) - (rows[0]?.at ?? 0);
  // The first interval may be partial, and a day may have 23 hours.
  const step = (rows.at(-1)?.at ?? 0) - (rows.at(-2)?.at ?? 0);
  const day = { month: 'short', day: 'numeric' } as const;
  const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  const tick = new Intl.DateTimeFormat(locale, span > 2 * DAY ? day : clock);
  const whole = new Intl.DateTimeFormat(
    locale,
    rows.length > 1 && step >= DAY - HOUR ? { ...day, year: 'numeric' } : { ...day, ...clock },
  );
  // Labels each day once if it has many rows.
  const days = rows.filter(({ at }, place) => place > 0 && tick.format(at) !== tick.format(rows[place - 1]?.at));
  const ticks =
    span <= 2 * DAY ? roundTimes(rows, span) : days.length < rows.length - 1 ? days.map(({ at }) => at) : undefined;
  return { ticks, tick: (at: number) => tick.format(at), time: (at: number) => whole.format(at) };
}
