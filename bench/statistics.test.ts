import { expect, test } from 'bun:test';
import { median, percentile } from './statistics.ts';

test('the median of an odd count is the middle value, whatever the order', () => {
  expect(median([9, 1, 5])).toBe(5);
});

test('the median of an even count lies half way between the middle two', () => {
  expect(median([1, 2, 4, 8])).toBe(3);
});

test('percentiles sort by size and not by text, and reach both ends', () => {
  const values = [100, 20, 3];
  expect(percentile(values, 0)).toBe(3);
  expect(percentile(values, 100)).toBe(100);
});

test('p99 of 1 to 101 is 100', () => {
  const values = Array.from({ length: 101 }, (_, index) => index + 1);
  expect(percentile(values, 99)).toBe(100);
});

test('no values give NaN, not zero', () => {
  expect(percentile([], 50)).toBeNaN();
});
