import { describe, expect, test } from 'bun:test';
import {
  changesOf,
  declarationOf,
  inUnitOf,
  type ModelValues,
  missingPrices,
  pricesAfter,
  valuesOf,
} from './model-values.ts';
import { priceDifferences } from './price-change.ts';

const modelWith = (stated: Record<string, unknown> | null, pricing: unknown = stated?.pricing ?? null) => ({
  layers: { shipped: null, synced: null, stated },
  pricing,
});

test('stated values survive a round trip through the form', () => {
  const stated = {
    ...{
      status: 'hidden',
      name: 'Ours',
      category: 'chat',
      tags: ['a'],
      strategy: 'fastest',
      cache: { strategy: 'semantic', ttl_seconds: 60, coalesce: false, semantic: { certainty: 0.9, media: true } },
    },
    pricing: { input_per_1m: '0.10', output_per_1m: '2' },
    capabilities: { features: ['tools'], context: 8000 },
  };
  const values = valuesOf('m', modelWith(stated));
  expect(JSON.parse(JSON.stringify(declarationOf(values)))).toEqual({ id: 'm', ...stated });
  expect(changesOf(values, values)).toEqual({});
  expect(changesOf(values, { ...values, mode: 'catalog', name: ' ', context: '' })).toEqual({
    ...{ pricing: null, name: null, capabilities: { features: ['tools'] as never } },
  });
});

const TIERED = { input_per_1m: '1', output_per_1m: '5', tiers: [{ above_input_tokens: 200_000, input_per_1m: '2' }] };

describe('a form of prices', () => {
  test.each([
    ['of the catalog', modelWith(null, TIERED)],
    ['of an operator', modelWith({ pricing: TIERED })],
    ['by date', modelWith({ pricing: [{ ...TIERED }, { effective_from: '2999-01-01T00:00:00Z', input_per_1m: '9' }] })],
  ])('%s holds those in force, and sends only what has changed', (_, model) => {
    const values: ModelValues = { ...valuesOf('m', model), mode: 'prices' };
    expect(values.prices).toMatchObject({ input_per_1m: '1', output_per_1m: '5', per_image: '' });
    expect(changesOf(values, values)).toEqual({});
    const prices = { ...values.prices, input_per_1m: ' 0.5 ', output_per_1m: '', per_web_search: '0.01' };
    expect(changesOf(values, { ...values, prices })).toEqual({
      pricing: { input_per_1m: '0.5', output_per_1m: null, per_web_search: '0.01' } as never,
    });
    expect(pricesAfter(values, { ...values, prices }, null)).toEqual({
      ...{ tiers: TIERED.tiers, input_per_1m: '0.5', per_web_search: '0.01' },
    });
  });

  test('as JSON sends null for what is left out, and a list for a map in place of periods', () => {
    const json = (pricing: unknown, mode = 'json' as const) => ({ mode, pricing: JSON.stringify(pricing) });
    const values = valuesOf('m', modelWith({ pricing: { ...TIERED, per_image_variants: { a: '1', b: '2' } } }));
    expect(
      changesOf(values, { ...values, ...json({ input_per_1m: '1', per_image_variants: { b: '3' } }) }).pricing,
    ).toEqual({ per_image_variants: { b: '3', a: null }, output_per_1m: null, tiers: null } as never);
    const byDate = valuesOf('m', modelWith({ pricing: [TIERED] }));
    expect(changesOf(byDate, { ...byDate, ...json({ input_per_1m: '3' }) }).pricing).toEqual([
      { input_per_1m: '3' },
    ] as never);
  });

  test.each([
    ['chat', { input_per_1m: '1' }, ['output_per_1m']],
    ['chat', { output_per_1m: '1' }, ['input_per_1m']],
    ['chat', {}, ['input_per_1m', 'output_per_1m']],
    ['chat', { per_request: '1' }, []],
    ['chat', { input_per_1m: '1', output_per_1m: '0' }, []],
    ['embedding', { input_per_1m: '1' }, []],
    ['image', { per_web_search: '1' }, ['per_image']],
    ['another', {}, []],
  ])('of a model for %s with %j lacks %j', (category, prices, missing) => {
    const values = valuesOf('m', undefined);
    const after: ModelValues = { ...values, mode: 'prices', prices: { ...values.prices, ...prices } };
    expect(missingPrices(values, after, category)).toEqual(missing as never);
  });

  test('has characters by the million and sound by the minute, and sends what is stored', () => {
    const pricing = { per_second: '0.000071666666666667', per_character: '0.000015' };
    const model = { ...modelWith({ pricing }), category: 'stt' as const };
    const values: ModelValues = { ...valuesOf('m', model), mode: 'prices' };
    expect(values.prices).toMatchObject({ per_second: '0.0043', per_character: '15' });
    expect(changesOf(values, values)).toEqual({});
    expect(pricesAfter(values, values, null)).toEqual(pricing);
    const prices = { ...values.prices, per_second: '0.006', per_character: ' 30 ' };
    expect(changesOf(values, { ...values, prices })).toEqual({
      pricing: { per_second: '0.0001', per_character: '0.00003' } as never,
    });
    expect(changesOf(values, { ...values, prices: { ...values.prices, per_second: 'much' } }).pricing).toEqual({
      per_second: 'much',
    } as never);
  });

  test('keeps what a second costs when the category changes its unit', () => {
    const values = valuesOf('m', undefined);
    const typed: ModelValues = { ...values, mode: 'prices', prices: { ...values.prices, per_second: '0.1' } };
    const { per_minute, per_second } = inUnitOf('stt', typed);
    expect([per_minute, per_second]).toEqual([true, '6']);
    const after = { ...typed, per_minute, prices: { ...typed.prices, per_second } };
    expect(declarationOf(after)).toMatchObject({ pricing: { per_second: '0.1' } });
    expect(inUnitOf('video', after)).toEqual({ per_minute: false, per_second: '0.1' });
  });

  test('counts the prices of variants, which it keeps', () => {
    const values: ModelValues = {
      ...valuesOf('m', modelWith({ pricing: { per_image_variants: { a: '1' } } })),
      mode: 'prices',
    };
    expect(missingPrices(values, values, 'image')).toEqual([]);
  });
});

test('the differences of prices name those that are removed first', () => {
  expect(priceDifferences(TIERED, { input_per_1m: '2', output_per_1m: '5', per_image: '1' }, 0)).toEqual([
    { key: 'input_per_1m', above: 200_000, before: '2', after: null },
    { key: 'input_per_1m', before: '1', after: '2' },
    { key: 'per_image', before: null, after: '1' },
  ]);
});

test('an empty form states nothing', () => {
  expect(declarationOf(valuesOf('m', modelWith(null)))).toEqual({ id: 'm' });
});
