import type { UsageSpan } from '../../ports/usage-store.ts';
import { AdminError } from '../admin-error.ts';
import { isoTime } from '../schema/iso-time.ts';
import { monthSpan } from '../usage/usage-spans.ts';

/** A calendar month of a time zone, on whole minutes. */
export interface Month extends UsageSpan {
  /** A name such as `2026-11`. */
  readonly name: string;
}

const NAME = /^(\d{4})-(0[1-9]|1[0-2])$/;
/** In the middle of a month, it is the same month in every zone. */
const MIDDLE_MS = 14 * 86_400_000;

export function monthAt(atMs: number, timeZone: string): Month {
  const span = monthSpan(atMs, timeZone);
  return { ...span, name: isoTime(span.fromMs + MIDDLE_MS).slice(0, 7) };
}

export function monthBefore({ fromMs }: Month, timeZone: string): Month {
  return monthAt(fromMs - MIDDLE_MS, timeZone);
}

/** Returns the month with this name. Throws `AdminError` if there is no such month or it has not begun. */
export function monthNamed(name: string, timeZone: string, nowMs: number): Month {
  const [, year, number] = NAME.exec(name) ?? [];
  if (year === undefined || Number(year) < 1970) {
    throw new AdminError('invalid_value', 'month', 'must be a month such as 2026-11');
  }
  const month = monthAt(Date.UTC(Number(year), Number(number) - 1, 15), timeZone);
  if (month.fromMs <= nowMs) return month;
  throw new AdminError('invalid_value', 'month', `must not be a future month: ${name} has not begun`);
}
