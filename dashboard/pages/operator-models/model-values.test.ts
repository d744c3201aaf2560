import { expect, test } from 'bun:test';
import { changesOf, declarationOf, valuesOf, wordsOf } from './model-values.ts';

const layers = (stated: Record<string, unknown> | null) => ({ shipped: null, synced: null, stated });

test('stated values survive a round trip through the form', () => {
  const stated = {
    ...{
      status: 'hidden',
      name: 'Ours',
      category: 'chat',
      tags: ['a'],
      strategy: 'fastest',
      cache: { ttl_seconds: 60 },
    },
    pricing: { input_per_1m: '0.10', output_per_1m: '2' },
    capabilities: { features: ['tools'], context: 8000 },
  };
  const values = valuesOf('m', layers(stated));
  expect(JSON.parse(JSON.stringify(declarationOf(values)))).toEqual({ id: 'm', ...stated });
  expect(changesOf(values, values)).toEqual({});
  expect(changesOf(values, { ...values, mode: 'catalog', name: ' ', context: '' })).toEqual({
    ...{ pricing: null, name: null, capabilities: { features: ['tools'] as never } },
  });
});

test.each([
  'free',
  'unknown',
  [{ effective_from: '2026-01-01T00:00:00.000Z', input_per_1m: '1' }],
  { per_image_variants: { a: '1' } },
])('a price that is no plain map stays as it is: %j', (pricing) => {
  expect(wordsOf(valuesOf('m', layers({ pricing }))).pricing).toEqual(pricing as never);
});

test('an empty form states nothing', () => {
  expect(declarationOf(valuesOf('m', layers(null)))).toEqual({ id: 'm' });
});
