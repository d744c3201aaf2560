import { WEEKDAYS, type Weekday, type WeekTimes } from './model-rule.ts';

const MINUTES_PER_DAY = 1_440;
/** Real zones differ from UTC by less than 15 hours, so nobody needs more formats than there are zones. */
const MOST_FORMATS = 1_000;

/** A formatter takes 50 µs to make and 1 µs to use. The zones are those of declared rules. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** A point in a week. */
export interface WeekPoint {
  readonly day: Weekday;
  /** Minutes since midnight. */
  readonly minute: number;
}

/** Returns whether this is the name of a time zone. */
export function isTimeZone(name: string): boolean {
  try {
    return formatOf(name).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** Returns the local day and minute in a time zone, with its daylight saving time. */
export function weekPointAt(atMs: number, zone: string): WeekPoint {
  let weekday = '';
  let hour = 0;
  let minute = 0;
  for (const { type, value } of formatOf(zone).formatToParts(atMs)) {
    if (type === 'weekday') weekday = value.toLowerCase();
    else if (type === 'hour') hour = Number(value);
    else if (type === 'minute') minute = Number(value);
  }
  return { day: WEEKDAYS.find((one) => one === weekday) ?? 'sun', minute: hour * 60 + minute };
}

/** Returns whether a point in time is within these days and hours. The end of the hours does not belong to them. */
export function isWithin(times: WeekTimes, { day, minute }: WeekPoint): boolean {
  const { from, to } = times;
  if (from < to) return minute >= from && minute < to && hasDay(times, day);
  if (minute >= from) return hasDay(times, day);
  return minute < to && hasDay(times, dayBefore(day));
}

/** Returns `HH:MM`. */
export function clockText(minute: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(Math.floor(minute / 60))}:${two(minute % 60)}`;
}

/** Returns the minutes since midnight of `HH:MM`, up to `24:00`; `null` for another text. */
export function minutesOf(text: string): number | null {
  const match = /^(\d{2}):(\d{2})$/.exec(text);
  if (match === null) return null;
  const minutes = Number(match[1]) * 60 + Number(match[2]);
  return Number(match[2]) < 60 && minutes <= MINUTES_PER_DAY ? minutes : null;
}

function hasDay({ days }: WeekTimes, day: Weekday): boolean {
  return days.length === 0 || days.includes(day);
}

function dayBefore(day: Weekday): Weekday {
  return WEEKDAYS[(WEEKDAYS.indexOf(day) + 6) % 7] ?? 'sun';
}

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      weekday: 'short',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
    if (formats.size >= MOST_FORMATS) formats.clear();
    formats.set(zone, format);
  }
  return format;
}
