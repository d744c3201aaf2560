import { expect, test } from 'bun:test';
import type { ModelPricing } from './pricing.ts';
import type { Billable } from './quantity.ts';
import { upstreamCostOf } from './upstream-cost.ts';

const TOKENS: Billable = {
  quantities: [
    { unit: 'input_token', amount: 1_000 },
    { unit: 'output_token', amount: 500 },
  ],
  source: 'reported',
};
const PRICES: ModelPricing = { input_per_1m: '2', output_per_1m: '8.5' };

function cost(pricing: ModelPricing | undefined, more: Partial<Parameters<typeof upstreamCostOf>[1]> = {}) {
  const costs = pricing === undefined ? {} : { 'gpt-5': pricing };
  return upstreamCostOf(costs, { modelId: 'gpt-5', billable: TOKENS, atMs: 0, applied: null, ...more });
}

test('the usage is multiplied by the costs of the channel, exactly', () => {
  expect(cost(PRICES)).toBe(6_250_000n);
  expect(cost('free')).toBe(0n);
  expect(cost({ input_per_1m: '0.000000001', output_per_1m: '0' })).toBe(0n);
});

test('a missing cost is unknown, and never zero', () => {
  expect(cost(undefined)).toBeNull();
  expect(cost(null)).toBeNull();
  expect(cost(PRICES, { modelId: null })).toBeNull();
  expect(cost(PRICES, { modelId: 'toString' })).toBeNull();
  const searched = { ...TOKENS, quantities: [...TOKENS.quantities, { unit: 'web_search' as const, amount: 2 }] };
  expect(cost(PRICES, { billable: searched })).toBeNull();
  const drawn = { unit: 'image' as const, amount: 1, variant: 'image_generation/1024x1024/high' };
  expect(cost(PRICES, { billable: { ...TOKENS, quantities: [drawn] } })).toBeNull();
});

test('the service tier of the response also counts upstream', () => {
  expect(cost(PRICES, { applied: { prices: {}, tokenFactor: 2_000_000 } })).toBe(12_500_000n);
});
