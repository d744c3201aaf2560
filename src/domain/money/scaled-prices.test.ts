import { expect, test } from 'bun:test';
import { PriceSheet } from './price-sheet.ts';
import type { ModelPricing } from './pricing.ts';
import type { Billable } from './quantity.ts';
import { scaledSheet } from './scaled-prices.ts';

const BILLABLE: Billable = {
  source: 'reported',
  quantities: [
    { unit: 'input_token', amount: 1_000_003 },
    { unit: 'output_token', amount: 77 },
  ],
};

function sheetOf(pricing: ModelPricing): PriceSheet {
  const sheet = PriceSheet.parse(pricing);
  if (sheet === null) throw new Error('no prices');
  return sheet;
}

test('costs the percentage of every price, also of tiers, periods and variants', () => {
  const sheet = sheetOf([
    { effectiveFromMs: null, prices: { input_per_1m: '0.15', output_per_1m: '0.6' }, tiers: [] },
    {
      effectiveFromMs: 1_000,
      prices: { input_per_1m: '2', output_per_1m: '8', per_image_variants: { '1024x1024': '0.041' } },
      tiers: [{ aboveInputTokens: 500_000, prices: { input_per_1m: '4' } }],
    },
  ]);
  const half = scaledSheet(sheet, 50);
  expect(half.pricing).toEqual([
    { effectiveFromMs: null, prices: { input_per_1m: '0.075', output_per_1m: '0.3' }, tiers: [] },
    {
      effectiveFromMs: 1_000,
      prices: { input_per_1m: '1', output_per_1m: '4', per_image_variants: { '1024x1024': '0.0205' } },
      tiers: [{ aboveInputTokens: 500_000, prices: { input_per_1m: '2' } }],
    },
  ]);
  expect(half.costNanoUsd(BILLABLE, 0)).toBe(75_023_325n);
  expect(half.costNanoUsd(BILLABLE, 2_000)).toBe(2_000_314_000n);
  const bound = { inputTokens: 10, outputTokens: 10 };
  expect(half.boundNanoUsd(bound, 2_000)).toBe(sheet.boundNanoUsd(bound, 2_000) / 2n);
});

test('makes each sheet once, and none at the full price', () => {
  const sheet = sheetOf({ input_per_1m: '1', output_per_1m: '2' });
  expect(scaledSheet(sheet, 100)).toBe(sheet);
  expect(scaledSheet(sheet, 33)).toBe(scaledSheet(sheet, 33));
  expect(scaledSheet(sheet, 0).isFree).toBe(true);
});
