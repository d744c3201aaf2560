import { describe, expect, test } from 'bun:test';
import { currentPrices, type PricingUnit, pricingUnit } from './current-prices.ts';
import type { PricePeriod, Prices } from './pricing.ts';

const TIERS = [{ aboveInputTokens: 200_000, prices: { input_per_1m: '4' } }];
const FIRST: PricePeriod = { effectiveFromMs: null, prices: { input_per_1m: '1' }, tiers: [] };
const SECOND: PricePeriod = { effectiveFromMs: 1_000, prices: { input_per_1m: '2' }, tiers: TIERS };
const THIRD: PricePeriod = { effectiveFromMs: 2_000, prices: { input_per_1m: '3' }, tiers: [] };

describe('the prices in force', () => {
  const PERIODS = [FIRST, SECOND, THIRD];

  test.each([
    ['long before the second', -5_000, '1', 1_000],
    ['the last moment before the second', 999, '1', 1_000],
    ['the moment at which the second begins', 1_000, '2', 2_000],
    ['the last moment before the third', 1_999, '2', 2_000],
    ['the moment at which the third begins', 2_000, '3', null],
    ['long after', 9_000_000, '3', null],
  ])('%s', (_name, atMs, price, untilMs) => {
    expect(currentPrices(PERIODS, atMs)).toMatchObject({ prices: { input_per_1m: price }, untilMs });
  });

  test('are those of the first period before it begins', () => {
    expect(currentPrices([SECOND, THIRD], 0)).toMatchObject({ prices: SECOND.prices, untilMs: 2_000 });
  });

  test('include the tiers of their own period only', () => {
    const tiers = [0, 1_000, 2_000].map((atMs) => currentPrices(PERIODS, atMs).tiers);
    expect(tiers).toEqual([[], TIERS, []]);
  });

  test('always hold without periods', () => {
    expect(currentPrices({ per_request: '1' }, 5)).toEqual({ prices: { per_request: '1' }, tiers: [], untilMs: null });
  });
});

describe('the pricing unit', () => {
  test.each<[PricingUnit | null, Prices | 'free']>([
    ['free', 'free'],
    ['per_request', { per_request: '1' }],
    ['per_1m_tokens', { input_per_1m: '1' }],
    ['per_1m_tokens', { audio_output_per_1m: '1' }],
    ['per_image', { per_image: '1' }],
    ['per_second', { per_second: '1' }],
    ['per_character', { per_character: '1' }],
    ['per_web_search', { per_web_search: '1' }],
    [null, {}],
  ])('is %s for %j', (unit, prices) => {
    expect(pricingUnit(prices)).toBe(unit);
  });

  test.each<[PricingUnit, Prices]>([
    ['per_request', { input_per_1m: '1', per_request: '1' }],
    ['per_1m_tokens', { per_image: '1', input_per_1m: '1' }],
    ['per_1m_tokens', { per_web_search: '1', output_per_1m: '1' }],
    ['per_image', { per_second: '1', per_image: '1' }],
    ['per_second', { per_web_search: '1', per_second: '1' }],
  ])('is %s for several units: %j', (unit, prices) => {
    expect(pricingUnit(prices)).toBe(unit);
  });
});
