export const PERIOD_PRESETS = ['hour', 'day', 'week', 'month', 'this-month', 'last-month'] as const;

export type PeriodPreset = (typeof PERIOD_PRESETS)[number];

/** A preset moves with the clock; the ends of a range are times with a zone (ISO 8601). */
export type Period = { readonly preset: PeriodPreset } | Range;

export interface Range {
  readonly from: string;
  readonly to: string;
}

const HOUR = 3_600_000;
const LENGTHS = { hour: HOUR, day: 24 * HOUR, week: 7 * 24 * HOUR, month: 30 * 24 * HOUR } as const;

/** Returns the range of a period, excluding `to`. Months begin at local midnight. */
export function rangeOf(period: Period, now: Date = new Date()): Range {
  if (!('preset' in period)) return period;
  const { preset } = period;
  const monthStart = (back: number) => new Date(now.getFullYear(), now.getMonth() - back, 1).toISOString();
  if (preset === 'this-month') return { from: monthStart(0), to: now.toISOString() };
  if (preset === 'last-month') return { from: monthStart(1), to: monthStart(0) };
  return { from: new Date(now.getTime() - LENGTHS[preset]).toISOString(), to: now.toISOString() };
}

/** Formats a period for the address of a page: `week`, or `from~to`. */
export function periodText(period: Period): string {
  return 'preset' in period ? period.preset : `${period.from}~${period.to}`;
}

/** Parses a period; returns undefined if it is invalid. */
export function periodOfText(text: string): Period | undefined {
  const preset = PERIOD_PRESETS.find((one) => one === text);
  if (preset) return { preset };
  const [from = '', to = ''] = text.split('~');
  return Date.parse(from) < Date.parse(to) ? { from, to } : undefined;
}

/** Formats a time for a native `datetime-local` input: in local time, to the minute. */
export function toLocalText(at: string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return '';
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** Returns undefined for an incomplete time. */
export function fromLocalText(text: string): string | undefined {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
