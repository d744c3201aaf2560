import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { changedPricing, modelPricing, modelPricingChange } from './price-syntax.ts';

const NOW = Date.parse('2026-06-01T00:00:00Z');
const UNITS = ['input_per_1m', 'output_per_1m', 'cache_write_per_1m', 'per_web_search'] as const;
const VARIANTS = ['1024x1024', '1024x1024/high', '512x512'];

const usd = fc.integer({ min: 0, max: 99_999 }).map((cents) => (cents / 100).toFixed(2));
const some = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const shape = (price: fc.Arbitrary<string | null>) => ({
  ...Object.fromEntries(UNITS.map((unit) => [unit, some(price)])),
  per_image_variants: some(fc.dictionary(fc.constantFrom(...VARIANTS), price, { minKeys: 1 })),
});
const tiers = fc.array(fc.record({ above_input_tokens: fc.constant(200_000), input_per_1m: usd }), {
  minLength: 1,
  maxLength: 1,
});
const defined = (map: object) => Object.fromEntries(Object.entries(map).filter(([, value]) => value !== undefined));
const prices = fc
  .record({ ...shape(usd), tiers: some(tiers) })
  .map(defined)
  .map((map) => ({ input_per_1m: '1.00', ...map }));
const periods = fc
  .tuple(prices, prices, prices)
  .map(([past, current, future]) => [
    past,
    { effective_from: '2026-01-01T00:00:00Z', ...current },
    { effective_from: '2027-01-01T00:00:00Z', ...future },
  ]);
const changes = fc.record(shape(fc.option(usd))).map(defined);

/** Returns each price by its path, such as `tiers.0.input_per_1m`. */
function leaves(value: unknown, path = ''): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return { [path]: value };
  return Object.assign({}, ...Object.entries(value).map(([key, inner]) => leaves(inner, `${path}.${key}`)));
}

describe('a change of prices', () => {
  test('keeps every price that it does not name, sets those it names, and removes those that are null', () => {
    fc.assert(
      fc.property(prices, changes, (before, change) => {
        const [kept, named] = [leaves(before), leaves(change)];
        const expected = Object.entries({ ...kept, ...named }).filter(([, price]) => price !== null);
        expect(leaves(changedPricing(before, change, NOW))).toMatchObject(Object.fromEntries(expected));
        expect(Object.keys(leaves(changedPricing(before, change, NOW))).filter((path) => named[path] === null)).toEqual(
          [],
        );
      }),
    );
  });

  test('affects the period that applies now, and no other', () => {
    fc.assert(
      fc.property(periods, changes, (before, change) => {
        const [past, current, future] = before;
        expect(changedPricing(before, change, NOW)).toEqual([past, changedPricing(current, change, NOW), future]);
      }),
    );
  });

  test('is valid if it names a price', () => {
    fc.assert(
      fc.property(prices, changes, (before, change) => {
        expect(modelPricingChange.safeParse(change).success).toBe(true);
        const after = changedPricing(before, { ...change, input_per_1m: '2' }, NOW);
        expect(modelPricing.safeParse(after).success).toBe(true);
      }),
    );
  });

  test('before the first period begins a new one', () => {
    const later = { effective_from: '2027-01-01T00:00:00Z', input_per_1m: '1' };
    expect(changedPricing([later], { output_per_1m: '2' }, NOW)).toEqual([{ output_per_1m: '2' }, later]);
  });

  test.each([['free'], ['unknown'], [null], [[{ input_per_1m: '1' }]]])('to %p replaces all prices', (change) => {
    expect(changedPricing({ input_per_1m: '3', output_per_1m: '15' }, change, NOW)).toEqual(change);
  });

  test.each([['free'], [null]])('begins without prices if they were %p', (before) => {
    expect(changedPricing(before, { input_per_1m: '1', output_per_1m: null }, NOW)).toEqual({ input_per_1m: '1' });
  });
});
