import { expect, test } from 'bun:test';
import { buildDate } from './facts.ts';

test.each([
  [{ SOURCE_DATE_EPOCH: '1790000000' }, '2026-09-21T14:13:20Z'],
  [{}, '2026-09-21T14:13:21Z'],
])('with %j the date of a build is %s', (environment, date) => {
  expect(buildDate(environment, 1_790_000_001_999)).toBe(date);
});

test('a date that is not a number is refused by name', () => {
  expect(() => buildDate({ SOURCE_DATE_EPOCH: 'today' }, 0)).toThrow('SOURCE_DATE_EPOCH must be whole seconds');
});
