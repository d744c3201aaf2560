import { useFormat } from '../format.tsx';
import type { Tone } from '../status.tsx';

export interface SeriesRow {
  /** Milliseconds since 1970: when the span begins. */
  readonly at: number;
  /** One for each series, in their order; null where nothing is known. */
  readonly values: readonly (number | null)[];
}

export interface Series {
  readonly name: string;
  /** A meaning instead of the next colour. */
  readonly tone?: Tone;
}

export interface TimeSeriesProps {
  /** Oldest first; some hundred at most. */
  readonly rows: readonly SeriesRow[];
  readonly series: readonly Series[];
  readonly kind: 'line' | 'area' | 'bars';
  readonly isStacked?: boolean;
  readonly format: (value: number) => string;
  /** At the axis, where all have as many digits; as `format` if absent. */
  readonly formatTick?: (value: number) => string;
  readonly height?: number;
  /** What the chart shows, for those who do not see it. */
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

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const MINUTE = 60_000;
const STEPS_MINUTES = [1, 5, 10, 15, 30, 60, 120, 180, 240, 360, 720];
const MOST_TICKS = 7;

/** When rows begin at a full ten minutes, three hours and so on, where the reader is: as many as an axis has room for. */
function roundTimes(rows: readonly SeriesRow[], span: number): number[] {
  const step = STEPS_MINUTES.find((minutes) => span / (minutes * MINUTE) <= MOST_TICKS) ?? DAY / MINUTE;
  return rows.map(({ at }) => at).filter((at) => isRound(new Date(at), step));
}

function isRound(date: Date, stepMinutes: number): boolean {
  return date.getSeconds() === 0 && (date.getHours() * 60 + date.getMinutes()) % stepMinutes === 0;
}

/** Times as short as the span of the rows allows, in the reader's own way and zone. */
export function useTimes(rows: readonly SeriesRow[]) {
  const { locale } = useFormat();
  const span = (rows.at(-1)?.at ?? 0) - (rows[0]?.at ?? 0);
  // The first part may be cut, and a day may have 23 hours.
  const step = (rows.at(-1)?.at ?? 0) - (rows.at(-2)?.at ?? 0);
  const day = { month: 'short', day: 'numeric' } as const;
  const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  const tick = new Intl.DateTimeFormat(locale, span > 2 * DAY ? day : clock);
  const whole = new Intl.DateTimeFormat(
    locale,
    rows.length > 1 && step >= DAY - HOUR ? { ...day, year: 'numeric' } : { ...day, ...clock },
  );
  // Each day once, where a day has many rows.
  const days = rows.filter(({ at }, place) => place > 0 && tick.format(at) !== tick.format(rows[place - 1]?.at));
  const ticks =
    span <= 2 * DAY ? roundTimes(rows, span) : days.length < rows.length - 1 ? days.map(({ at }) => at) : undefined;
  return { ticks, tick: (at: number) => tick.format(at), time: (at: number) => whole.format(at) };
}
