import { expect, test } from 'bun:test';
import { currentPrices, priceLines, priceOf } from './pricing.ts';

const NOW = Date.parse('2026-06-01');

test('the current prices apply if prices are dated', () => {
  const periods = [
    { input_per_1m: '1' },
    { effective_from: '2026-05-01T00:00:00Z', input_per_1m: '2' },
    { effective_from: '2026-07-01T00:00:00Z', input_per_1m: '3' },
  ];
  expect(currentPrices(periods, NOW)).toMatchObject({ input_per_1m: '2' });
  expect(currentPrices(periods.slice(2), NOW)).toBeNull();
  expect(priceOf(periods, 'input_per_1m', NOW)).toBe(2);
  expect([currentPrices('free', NOW), priceOf('free', 'per_image', NOW), currentPrices(null, NOW)]).toEqual([
    'free',
    0,
    null,
  ]);
});

test('variants and tiers have their own lines', () => {
  const pricing = {
    output_per_1m: '4',
    input_per_1m: '1',
    per_image_variants: { '1024x1024': '0.04' },
    tiers: [{ above_input_tokens: 200_000, input_per_1m: '2' }],
  };
  expect(priceLines(pricing, NOW)).toEqual([
    { key: 'input_per_1m', usd: '1' },
    { key: 'output_per_1m', usd: '4' },
    { key: 'per_image', usd: '0.04', variant: '1024x1024' },
    { key: 'input_per_1m', usd: '2', above: 200_000 },
  ]);
});
