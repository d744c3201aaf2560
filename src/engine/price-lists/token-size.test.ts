import { expect, test } from 'bun:test';
import { isSameSize } from './merge-pricing.ts';

test.each([
  [199_999, 200_000, true],
  [127_999, 128_000, true],
  [272_000, 271_999, true],
  [131_072, 128_000, true],
  [131_072, 127_999, true],
  [32_000, 32_768, true],
  [1_048_576, 1_000_000, true],
  [199_998, 200_000, false],
  [128_000, 130_000, false],
  [200_000, 272_000, false],
])('%p and %p tokens are the same size: %p', (a, b, isSame) => {
  expect([isSameSize(a, b), isSameSize(b, a)]).toEqual([isSame, isSame]);
});
