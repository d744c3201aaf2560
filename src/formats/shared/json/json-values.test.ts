import { expect, test } from 'bun:test';
import { candidateIndexes, countOrNull, indexOr } from './json-values.ts';

test('a count is a whole number within the safe range', () => {
  expect([0, 12, 1.6, -1, 1e300, Number.POSITIVE_INFINITY, '3', null].map(countOrNull)).toEqual([
    0,
    12,
    2,
    null,
    null,
    null,
    null,
    null,
  ]);
});

test('an index is a valid list index', () => {
  expect([3, 0, -1, 1.5, 2 ** 31, '1', { toString: null }].map((value) => indexOr(value, 9))).toEqual([
    3, 0, 9, 9, 9, 9, 9,
  ]);
});

test("candidates keep the response's indexes only if these are distinct", () => {
  expect(candidateIndexes([1, 0])).toEqual([1, 0]);
  expect(candidateIndexes([undefined, undefined, 2])).toEqual([0, 1, 2]);
  expect(candidateIndexes([1, 1])).toEqual([0, 1]);
  expect(candidateIndexes([1, undefined])).toEqual([0, 1]);
});
