import { expect, test } from 'bun:test';
import type { ModelPricing } from '../money/pricing.ts';
import { comparableCost } from './comparable-cost.ts';

const NOW = 1_800_000_000_000;

const NOTHING_KNOWN: readonly (ModelPricing | undefined)[] = [
  undefined,
  null,
  {},
  { reasoning_per_1m: '1' },
  { input_per_1m: 'cheap' },
];

const KNOWN: readonly (readonly [string, ModelPricing, bigint])[] = [
  ['nothing for a free model', 'free', 0n],
  ['three parts input to one part output', { input_per_1m: '1', output_per_1m: '5' }, 2_000_000_000n],
  ['only the input if there is no output', { input_per_1m: '0.4' }, 300_000_000n],
  ['a thousand requests', { per_request: '0.04' }, 40_000_000_000n],
  ['tokens and requests together', { input_per_1m: '4', per_request: '0.001' }, 4_000_000_000n],
  ['a thousand images', { per_image: '0.02' }, 20_000_000_000n],
  ['four million characters', { per_character: '0.000015' }, 60_000_000_000n],
  ['no more than nine decimals', { input_per_1m: '1.0000000009999', output_per_1m: '1' }, 1_000_000_000n],
];

test.each(KNOWN)('the cost counts %s', (_name, pricing, cost) => {
  expect(comparableCost(pricing)?.(NOW)).toBe(cost);
});

test('the cost uses the prices in force, or the first ones before they begin', () => {
  const cost = comparableCost([
    {
      effectiveFromMs: NOW,
      prices: { input_per_1m: '4' },
      tiers: [{ aboveInputTokens: 9, prices: { input_per_1m: '9' } }],
    },
    { effectiveFromMs: NOW + 10, prices: { input_per_1m: '8' }, tiers: [] },
  ]);
  const found = [NOW - 1, NOW, NOW + 9, NOW + 10].map((atMs) => cost?.(atMs));
  expect(found).toEqual([3_000_000_000n, 3_000_000_000n, 3_000_000_000n, 6_000_000_000n]);
});

test.each(NOTHING_KNOWN)('%p has no cost', (pricing) => {
  expect(comparableCost(pricing)).toBeNull();
});
