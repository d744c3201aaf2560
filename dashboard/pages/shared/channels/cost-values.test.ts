import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { type CostLine, costProblem, costsFrom, costsSaid, NEW_LINE } from './cost-values.ts';

const usd = fc.integer({ min: 0, max: 1_000_000 }).map((count) => (count / 1_000).toFixed(3).replace(/\.?0+$/, ''));
const prices = fc
  .record({
    input_per_1m: usd,
    output_per_1m: fc.option(usd, { nil: undefined }),
    per_character: fc.option(fc.constantFrom('0.000015', '0.00003'), { nil: undefined }),
    per_second: fc.option(usd, { nil: undefined }),
    per_image_variants: fc.option(fc.record({ '1024x1024': usd, '512x512/low': usd }), { nil: undefined }),
  })
  .map((map) => Object.fromEntries(Object.entries(map).filter(([, value]) => value !== undefined)));
const tiered = fc.tuple(prices, fc.option(prices, { nil: undefined })).map(([map, tier]) => ({
  ...map,
  ...(tier && { tiers: [{ above_input_tokens: 200_000, ...tier }] }),
}));
const pricing = fc.oneof(
  fc.constant('free'),
  tiered,
  fc.tuple(tiered, tiered).map(([first, next]) => [first, { effective_from: '2027-01-01T00:00:00.250Z', ...next }]),
);

test('every price survives the form: units, variants, lengths of prompts and dates', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom('a', 'b/c', 'd'), pricing, { noNullPrototype: true }), (costs) => {
      const shown = costsFrom(costs);
      expect(costsSaid(shown)).toEqual(costs);
      expect(costProblem(shown)).toBeNull();
    }),
  );
});

const line = (fields: Partial<CostLine>): CostLine => ({ ...NEW_LINE, usd: '1', ...fields });
const model = (lines: readonly CostLine[], name = 'a') => ({ model: name, isFree: false, lines });

test('characters are priced by the million, sound by the minute, and lines are put in order', () => {
  const lines = [
    line({ unit: 'per_1m_characters', usd: '15' }),
    line({ unit: 'per_minute', usd: '0.006' }),
    line({ above: '128000', usd: '2' }),
    line({ above: '64000', usd: '1.5' }),
  ];
  expect(costsSaid([model(lines)])).toEqual({
    a: {
      ...{ per_character: '0.000015', per_second: '0.0001' },
      tiers: [
        { above_input_tokens: 64_000, input_per_1m: '1.5' },
        { above_input_tokens: 128_000, input_per_1m: '2' },
      ],
    },
  });
});

test.each([
  ['noModel', [model([line({})], ' ')]],
  ['twice', [model([line({})]), model([line({})])]],
  ['noPrice', [model([])]],
  ['noPrice', [model([line({ usd: ' ' })])]],
  ['priceTwice', [model([line({ unit: 'per_minute' }), line({ unit: 'per_second' })])]],
  ['priceTwice', [model([line({ variant: 'x' }), line({})])]],
] as const)('%s is found before it is sent', (kind, costs) => {
  expect(costProblem(costs)?.kind).toBe(kind);
});
