import { expect, test } from 'bun:test';
import type { ModelPricing } from '../../domain/money/pricing.ts';
import { sampleChannel } from '../ports/testing/samples.ts';
import { keyCostOf } from './key-cost.ts';

const PRICING: ModelPricing = { input_per_1m: '1', output_per_1m: '2' };
/** A million tokens of a prompt. */
const BILLABLE = { source: 'reported', quantities: [{ unit: 'input_token', amount: 1_000_000 }] } as const;
const USD = 1_000_000_000n;

function costOf(costs: Readonly<Record<string, ModelPricing>>, keyPricing: ModelPricing, modelId = 'm'): bigint {
  const channel = sampleChannel({ costs });
  return keyCostOf({ channel, keyPricing }, { modelId, billable: BILLABLE, atMs: 0, applied: null });
}

test('the cost of a request is that of the channel, else the price of the model, else nothing', () => {
  expect(costOf({ m: { ...PRICING, input_per_1m: '0.25' } }, PRICING)).toBe(USD / 4n);
  expect(costOf({ other: PRICING }, PRICING)).toBe(USD);
  expect(costOf({}, null)).toBe(0n);
  expect(costOf({ m: 'free' }, PRICING)).toBe(0n);
});

test('a model may have the name of a member that every object has', () => {
  expect(costOf({}, PRICING, 'constructor')).toBe(USD);
  expect(costOf({}, PRICING, '__proto__')).toBe(USD);
});
