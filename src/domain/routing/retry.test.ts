import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { backoffMs } from './retry.ts';

test('the back-off doubles from 100 ms up to 2 s', () => {
  const atMost = [1, 2, 3, 4, 5, 6, 50, 5_000].map((retry) => backoffMs(retry, () => 1));
  expect(atMost).toEqual([100, 200, 400, 800, 1_600, 2_000, 2_000, 2_000]);
});

test('the back-off is at least half of its limit and less than the whole', () => {
  const uniform = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), uniform, (retry, drawn) => {
      const wholeMs = Math.min(100 * 2 ** (retry - 1), 2_000);
      const waitMs = backoffMs(retry, () => drawn);
      return waitMs >= wholeMs / 2 && waitMs <= wholeMs;
    }),
  );
});
