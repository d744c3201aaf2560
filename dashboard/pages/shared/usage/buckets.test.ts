import { expect, test } from 'bun:test';
import { bucketOf, bucketsOf, filled, MOST_POINTS, onSums, startsOf } from './buckets.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 10, 23, 12);

test('a time of any length has at most 200 points, and an hour more than one', () => {
  const to = Date.UTC(2026, 10, 23, 17, 31);
  for (const days of [1 / 24, 1 / 8, 1, 7, 8, 30, 199, 366, 1_400]) {
    const range = { from: new Date(to - days * DAY).toISOString(), to: new Date(to).toISOString() };
    const starts = startsOf(range, bucketOf(range, to));
    expect(starts.length).toBeGreaterThan(1);
    expect(starts.length).toBeLessThanOrEqual(MOST_POINTS);
    expect(starts).toEqual([...new Set(starts)].sort((one, other) => one - other));
  }
});

test('a missing bucket has no value, and others are unchanged', () => {
  const range = onSums({ from: '2026-11-23T10:00:12.345Z', to: '2026-11-23T10:03:59.000Z' }, NOW);
  expect(range).toEqual({ from: '2026-11-23T10:00:00.000Z', to: '2026-11-23T10:04:00.000Z' });
  const told = [{ from: '2026-11-23T10:02:00Z' }];
  expect(filled(told, range, 'minute').map(({ part }) => part !== undefined)).toEqual([false, false, true, false]);
});

test('periods older than the minute sums use quarter-hour boundaries and buckets of at least an hour', () => {
  const old = { from: '2026-11-20T10:07:00.000Z', to: '2026-11-20T11:01:00.000Z' };
  expect(onSums(old, NOW)).toEqual({ from: '2026-11-20T10:00:00.000Z', to: '2026-11-20T11:15:00.000Z' });
  expect(bucketOf(old, NOW)).toBe('hour');
  expect(bucketOf({ from: '2026-11-23T10:07:00.000Z', to: '2026-11-23T11:01:00.000Z' }, NOW)).toBe('minute');
});

test('a period offers the buckets that are stored and shorter than itself', () => {
  const of = (from: string, to: string) => bucketsOf({ from, to }, NOW);
  expect(of('2026-11-23T10:00:00.000Z', '2026-11-23T11:30:00.000Z')).toEqual(['minute', 'hour']);
  expect(of('2026-11-16T12:00:00.000Z', '2026-11-23T12:00:00.000Z')).toEqual(['hour', 'day']);
  expect(of('2025-11-23T12:00:00.000Z', '2026-11-23T12:00:00.000Z')).toEqual(['week', 'month']);
});
