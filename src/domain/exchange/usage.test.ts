import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { completionTokensOf, ONE_REQUEST, promptTokensOf } from '../money/quantity.ts';
import { billableOf, bothRounds, completionTokens, promptTokens, type Usage } from './usage.ts';

const count = fc.nat({ max: 10_000 });
const usages: fc.Arbitrary<Usage> = fc.record(
  {
    ...{ input: count, cachedInput: count, cacheWrite: count, cacheWrite1h: count, inputAudio: count },
    ...{ inputImage: count, output: count, reasoning: count, outputAudio: count, outputImage: count },
    ...{ webSearches: count, source: fc.constantFrom('reported' as const, 'estimated' as const) },
  },
  { requiredKeys: ['input', 'cachedInput', 'cacheWrite', 'output', 'reasoning', 'source'] },
);

test('usage becomes quantities: every non-zero part once, and one request', () => {
  fc.assert(
    fc.property(usages, (usage) => {
      const { quantities, source } = billableOf(usage);
      const { source: _source, raw: _raw, drawn: _drawn, ...counts } = usage;
      const amounts = quantities.filter((one) => one !== ONE_REQUEST).map(({ amount }) => amount);
      const ascending = (list: readonly number[]) => list.toSorted((a, b) => a - b);
      expect(ascending(amounts)).toEqual(ascending(Object.values(counts).filter((amount) => amount > 0)));
      expect(new Set(quantities.map(({ unit }) => unit)).size).toBe(quantities.length);
      expect(quantities).toContain(ONE_REQUEST);
      expect(source).toBe(usage.source);
    }),
  );
});

test('quantities keep the prompt and completion token counts', () => {
  fc.assert(
    fc.property(usages, (usage) => {
      expect(promptTokensOf(billableOf(usage))).toBe(promptTokens(usage));
      expect(completionTokensOf(billableOf(usage))).toBe(completionTokens(usage));
    }),
  );
});

test('an image that a tool drew is billed beside the tokens and is not counted as tokens of the model', () => {
  const text: Usage = { input: 10, cachedInput: 0, cacheWrite: 0, output: 5, reasoning: 0, source: 'reported' };
  const image = { unit: 'image_output_token', amount: 272, variant: 'image_generation' } as const;
  const drawn = { quantities: [image], source: 'estimated' } as const;
  const billable = billableOf({ ...text, drawn });
  expect(billable.quantities).toContainEqual(image);
  expect(billable.source).toBe('estimated');
  expect([promptTokensOf(billable), completionTokensOf(billable)]).toEqual([10, 5]);
  expect(bothRounds({ ...text, drawn }, text).drawn).toEqual(drawn);
  expect(bothRounds({ ...text, drawn }, { ...text, drawn }).drawn?.quantities).toEqual([{ ...image, amount: 544 }]);
});
