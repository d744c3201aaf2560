import { expect, test } from 'bun:test';
import { LARGEST_INT32, seedWithin } from './seeds.ts';

test('a seed within the range is unchanged, and null stays null', () => {
  for (const seed of [null, 0, LARGEST_INT32]) {
    expect(seedWithin({ seed }, LARGEST_INT32)).toEqual({ value: seed, losses: [] });
  }
});

test('a larger seed is folded into the range deterministically, and reported as a loss', () => {
  const { value, losses } = seedWithin({ seed: 2 ** 31 + 5 }, LARGEST_INT32);
  expect(value).toBe(5);
  expect(losses).toEqual([
    {
      ...{ field: 'seed', verdict: 'approximated' },
      why: 'the provider accepts seeds up to 2147483647: 2147483653 becomes 5',
    },
  ]);
  expect(seedWithin({ seed: 2 ** 53 - 1 }, 2 ** 32 - 2).value).toBeLessThanOrEqual(2 ** 32 - 2);
});
