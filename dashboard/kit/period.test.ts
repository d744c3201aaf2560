import { expect, test } from 'bun:test';
import { fromLocalText, periodOfText, periodText, rangeOf, toLocalText } from './period.ts';

const now = new Date(2026, 0, 31, 13, 30);
const at = (year: number, month: number, day: number, hour = 0, minute = 0) =>
  new Date(year, month, day, hour, minute).toISOString();

test('months begin at local midnight, also across the turn of the year', () => {
  expect(rangeOf({ preset: 'this-month' }, now)).toEqual({ from: at(2026, 0, 1), to: now.toISOString() });
  expect(rangeOf({ preset: 'last-month' }, now)).toEqual({ from: at(2025, 11, 1), to: at(2026, 0, 1) });
  const march = new Date(2026, 2, 31);
  expect(rangeOf({ preset: 'last-month' }, march)).toEqual({ from: at(2026, 1, 1), to: at(2026, 2, 1) });
});

test('the other presets end now and have their stated length', () => {
  expect(rangeOf({ preset: 'hour' }, now).from).toBe(at(2026, 0, 31, 12, 30));
  const week = rangeOf({ preset: 'week' }, now);
  expect(Date.parse(week.to) - Date.parse(week.from)).toBe(7 * 24 * 3_600_000);
});

test('a period survives a round trip through the URL, and an invalid one is ignored', () => {
  const range = { from: at(2026, 0, 1), to: at(2026, 0, 2) };
  expect(periodOfText(periodText(range))).toEqual(range);
  expect(periodOfText(periodText({ preset: 'week' }))).toEqual({ preset: 'week' });
  for (const text of ['', 'year', '~', `${range.to}~${range.from}`, `${range.from}~`]) {
    expect(periodOfText(text)).toBeUndefined();
  }
});

test("an input's time is in the reader's time zone", () => {
  expect(toLocalText(at(2026, 8, 3, 4, 5))).toBe('2026-09-03T04:05');
  expect(fromLocalText('2026-09-03T04:05')).toBe(at(2026, 8, 3, 4, 5));
  expect(fromLocalText('')).toBeUndefined();
  expect(toLocalText('never')).toBe('');
});
