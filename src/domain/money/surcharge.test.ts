import { describe, expect, test } from 'bun:test';
import { billableOf, type Usage } from '../exchange/usage.ts';
import { PriceSheet } from './price-sheet.ts';
import { factorOf, NO_SURCHARGE } from './surcharge.ts';

const USAGE: Usage = { input: 1_000, cachedInput: 0, cacheWrite: 0, output: 500, reasoning: 0, source: 'reported' };
const PRICES = { input_per_1m: '1', output_per_1m: '2', per_request: '0.001' };

function sheet(prices: object): PriceSheet {
  const parsed = PriceSheet.parse(prices);
  if (parsed === null) throw new Error('no sheet');
  return parsed;
}

describe('a surcharge', () => {
  const tokens = 2_000_000n;
  const request = 1_000_000n;

  test('multiplies the cost of tokens, not of a request or a search', () => {
    const surcharge = { ...NO_SURCHARGE, tokenFactor: factorOf('2.5'), webSearchUsd: '0.01' };
    const cost = sheet(PRICES).costNanoUsd(billableOf({ ...USAGE, webSearches: 3 }), 0, surcharge);
    expect(cost).toBe((tokens * 5n) / 2n + request + 30_000_000n);
  });

  test("takes the price of a search from the model before the provider's list", () => {
    const surcharge = { ...NO_SURCHARGE, webSearchUsd: '0.01' };
    const own = sheet({ ...PRICES, per_web_search: '0.02' });
    expect(own.costNanoUsd(billableOf({ ...USAGE, webSearches: 1 }), 0, surcharge)).toBe(
      tokens + request + 20_000_000n,
    );
    expect(own.pricesWebSearch).toBe(true);
    expect(sheet(PRICES).pricesWebSearch).toBe(false);
  });

  test('charges uncounted searches at the known minimum', () => {
    const surcharge = { ...NO_SURCHARGE, webSearchUsd: '0.025', leastWebSearches: 1 };
    expect(sheet(PRICES).costNanoUsd(billableOf(USAGE), 0, surcharge)).toBe(tokens + request + 25_000_000n);
  });

  test('raises the bound for a dearer service; a cheaper one does not lower it', () => {
    const largest = { inputTokens: 1_000, outputTokens: 500 };
    const bound = (factor: string) =>
      sheet(PRICES).boundNanoUsd(largest, 0, { ...NO_SURCHARGE, tokenFactor: factorOf(factor) });
    expect(bound('2')).toBe(2n * tokens + request);
    expect(bound('0.5')).toBe(tokens + request);
  });

  test('has a decimal number as its factor', () => {
    expect(factorOf('1.75')).toBe(1_750_000n);
    expect(() => factorOf('-1')).toThrow();
    expect(() => factorOf('1.7500001')).toThrow();
  });
});
