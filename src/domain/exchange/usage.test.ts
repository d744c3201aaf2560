import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { completionTokensOf, ONE_REQUEST, promptTokensOf } from '../money/quantity.ts';
import { billableOf, completionTokens, promptTokens, type Usage } from './usage.ts';

const count = fc.nat({ max: 10_000 });
const usages: fc.Arbitrary<Usage> = fc.record(
  {
    ...{ input: count, cachedInput: count, cacheWrite: count, cacheWrite1h: count, inputAudio: count },
    ...{ inputImage: count, output: count, reasoning: count, outputAudio: count, outputImage: count },
    ...{ webSearches: count, source: fc.constantFrom('reported' as const, 'estimated' as const) },
  },
  { requiredKeys: ['input', 'cachedInput', 'cacheWrite', 'output', 'reasoning', 'source'] },
);

test('as quantities, usage has every part that is not zero once, with one request', () => {
  fc.assert(
    fc.property(usages, (usage) => {
      const { quantities, source } = billableOf(usage);
      const { source: _source, raw: _raw, ...counts } = usage;
      const amounts = quantities.filter((one) => one !== ONE_REQUEST).map(({ amount }) => amount);
      const ascending = (list: readonly number[]) => list.toSorted((a, b) => a - b);
      expect(ascending(amounts)).toEqual(ascending(Object.values(counts).filter((amount) => amount > 0)));
      expect(new Set(quantities.map(({ unit }) => unit)).size).toBe(quantities.length);
      expect(quantities).toContain(ONE_REQUEST);
      expect(source).toBe(usage.source);
    }),
  );
});

test('as quantities, usage has as many tokens of the prompt and of the answer', () => {
  fc.assert(
    fc.property(usages, (usage) => {
      expect(promptTokensOf(billableOf(usage))).toBe(promptTokens(usage));
      expect(completionTokensOf(billableOf(usage))).toBe(completionTokens(usage));
    }),
  );
});
