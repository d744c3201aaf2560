import { describe, expect, test } from 'bun:test';
import { isExpired, parseTime, TIME_RULE } from './expiry.ts';

describe('a time', () => {
  test.each([
    ['2026-09-01', '2026-09-01T00:00:00.000Z'],
    ['2026-09-01T12:00Z', '2026-09-01T12:00:00.000Z'],
    ['2026-09-01T12:00:00+02:00', '2026-09-01T10:00:00.000Z'],
    ['2028-02-29T23:59:59.5Z', '2028-02-29T23:59:59.500Z'],
  ])('%s is %s', (text, iso) => {
    const parsed = parseTime(text);
    expect(parsed.ok && new Date(parsed.timeMs).toISOString()).toBe(iso);
  });

  test.each([
    '',
    'tomorrow',
    '2026-9-1',
    '2026-09-01 12:00',
    '2026-09-01T12:00:00',
    '2026-13-01',
    '2026-00-10',
    '2026-09-01T25:00Z',
    '1 2026-09-01',
    '1790000000000',
  ])('%p is not a time', (text) => expect(parseTime(text)).toEqual({ ok: false, problem: TIME_RULE }));

  test.each(['2026-02-30', '2027-02-29T00:00Z', '2026-04-31'])('%s is not a date', (text) =>
    expect(parseTime(text).ok).toBe(false),
  );
});

test('a key is refused from the exact moment it expires', () => {
  expect(isExpired({ expiresAtMs: null }, Number.MAX_SAFE_INTEGER)).toBe(false);
  expect([999, 1000, 1001].map((nowMs) => isExpired({ expiresAtMs: 1000 }, nowMs))).toEqual([false, true, true]);
});
