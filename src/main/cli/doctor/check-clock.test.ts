import { expect, test } from 'bun:test';
import { comparedWithDate, judgeClock } from './check-clock.ts';

const NOW_MS = Date.UTC(2026, 0, 1, 12, 0, 0, 400);
const upstream = (of: string, aheadMs: number) => ({ of, aheadMs });

test('a date of the same second is no difference', () => {
  const compared = comparedWithDate('a.example', 'Thu, 01 Jan 2026 12:00:00 GMT', NOW_MS);
  expect(compared).toEqual({ of: 'a.example', aheadMs: -100 });
  expect(judgeClock([upstream('a.example', -100)], null)).toMatchObject([{ level: 'ok' }]);
});

test.each([null, '', 'yesterday'])('a header %p is not compared', (date) => {
  expect(comparedWithDate('a.example', date, NOW_MS)).toBeNull();
});

test('a clock that is ahead or behind is a warning with the difference and the remedy', () => {
  const [ahead] = judgeClock([upstream('a.example', 90_000)], null);
  expect(ahead).toMatchObject({
    level: 'warn',
    message: expect.stringMatching(/^90 s ahead of a\.example: synchronize/),
  });
  const [, behind] = judgeClock([upstream('a.example', -7_000)], upstream('the database', -8_000));
  expect(behind?.message).toMatch(/^8 s behind the database/);
});

test('one upstream with a wrong clock among three does not count', () => {
  const all = [upstream('a.example', 0), upstream('b.example', 9_000_000), upstream('c.example', 400)];
  expect(judgeClock(all, null)).toEqual([{ level: 'ok', subject: 'clock', message: 'agrees with c.example' }]);
});

test('without any other clock nothing is claimed', () => {
  expect(judgeClock([], null)).toMatchObject([{ level: 'ok', message: expect.stringContaining('not compared') }]);
});
