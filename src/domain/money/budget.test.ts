import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { BUDGET_PERIODS, type BudgetPeriod, budgetWindow, isTimeZone } from './budget.ts';

const at = (text: string) => Date.parse(text);

describe('the window of a budget', () => {
  test.each<[BudgetPeriod, string, string, string, string]>([
    ['day', 'UTC', '2026-11-23T23:59:59.999Z', '2026-11-23T00:00:00Z', '2026-11-24T00:00:00Z'],
    ['day', 'UTC', '2026-11-24T00:00:00Z', '2026-11-24T00:00:00Z', '2026-11-25T00:00:00Z'],
    // A Sunday belongs to the week that began on Monday.
    ['week', 'UTC', '2026-11-29T12:00:00Z', '2026-11-23T00:00:00Z', '2026-11-30T00:00:00Z'],
    ['month', 'UTC', '2028-02-29T12:00:00Z', '2028-02-01T00:00:00Z', '2028-03-01T00:00:00Z'],
    ['month', 'UTC', '2026-12-31T23:00:00Z', '2026-12-01T00:00:00Z', '2027-01-01T00:00:00Z'],
    // In Berlin it is already the next year, and therefore the next month.
    ['month', 'Europe/Berlin', '2026-12-31T23:30:00Z', '2026-12-31T23:00:00Z', '2027-01-31T23:00:00Z'],
    // Days of 25 and of 23 hours.
    ['day', 'Europe/Berlin', '2026-10-25T12:00:00Z', '2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z'],
    ['day', 'Europe/Berlin', '2026-03-29T12:00:00Z', '2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z'],
    // A day without midnight: clocks go from 23:59:59 to 01:00.
    ['day', 'Africa/Cairo', '2026-04-24T12:00:00Z', '2026-04-23T22:00:00Z', '2026-04-24T21:00:00Z'],
    ['week', 'Pacific/Kiritimati', '2026-11-22T11:00:00Z', '2026-11-22T10:00:00Z', '2026-11-29T10:00:00Z'],
    ['day', 'Asia/Kathmandu', '2026-11-23T18:14:59Z', '2026-11-22T18:15:00Z', '2026-11-23T18:15:00Z'],
  ])('a %s in %s at %s', (per, timeZone, now, startsAt, endsAt) => {
    expect(budgetWindow({ per, timeZone }, at(now))).toEqual({ startsAtMs: at(startsAt), endsAtMs: at(endsAt) });
  });

  test('windows follow each other without gaps, in any time zone', () => {
    const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/Santiago', 'Australia/Lord_Howe', 'Asia/Beirut');
    const time = fc.integer({ min: at('2024-01-01'), max: at('2034-01-01') });
    const follows = fc.property(fc.constantFrom(...BUDGET_PERIODS), zone, time, (per, timeZone, nowMs) => {
      const window = budgetWindow({ per, timeZone }, nowMs);
      expect(window.startsAtMs).toBeLessThanOrEqual(nowMs);
      expect(window.endsAtMs).toBeGreaterThan(nowMs);
      expect(budgetWindow({ per, timeZone }, window.startsAtMs)).toEqual(window);
      expect(budgetWindow({ per, timeZone }, window.endsAtMs - 1)).toEqual(window);
      expect(budgetWindow({ per, timeZone }, window.endsAtMs).startsAtMs).toBe(window.endsAtMs);
    });
    fc.assert(follows, { numRuns: 60 });
  });

  test.each([
    ['UTC', true],
    ['Europe/Berlin', true],
    ['Mars/Olympus', false],
    ['+02:00', false],
    ['', false],
  ])('"%s" is the name of a time zone: %p', (name, isOne) => {
    expect(isTimeZone(name)).toBe(isOne);
  });
});
