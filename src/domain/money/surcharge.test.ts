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

describe('what is billed beyond tokens', () => {
  const tokens = 2_000_000n;
  const request = 1_000_000n;

  test('a factor multiplies the tokens, and not what a request or a search costs', () => {
    const surcharge = { ...NO_SURCHARGE, tokenFactor: factorOf('2.5'), webSearchUsd: '0.01' };
    const cost = sheet(PRICES).costNanoUsd(billableOf({ ...USAGE, webSearches: 3 }), 0, surcharge);
    expect(cost).toBe((tokens * 5n) / 2n + request + 30_000_000n);
  });

  test('a search costs what the model’s own prices say, before what its provider’s list says', () => {
    const surcharge = { ...NO_SURCHARGE, webSearchUsd: '0.01' };
    const own = sheet({ ...PRICES, per_web_search: '0.02' });
    expect(own.costNanoUsd(billableOf({ ...USAGE, webSearches: 1 }), 0, surcharge)).toBe(
      tokens + request + 20_000_000n,
    );
    expect(own.pricesWebSearch).toBe(true);
    expect(sheet(PRICES).pricesWebSearch).toBe(false);
  });

  test('searches that no answer counts are charged as many as are known to be made', () => {
    const surcharge = { ...NO_SURCHARGE, webSearchUsd: '0.025', leastWebSearches: 1 };
    expect(sheet(PRICES).costNanoUsd(billableOf(USAGE), 0, surcharge)).toBe(tokens + request + 25_000_000n);
  });

  test('the bound of a dearer service is dearer, that of a cheaper one is not cheaper', () => {
    const largest = { inputTokens: 1_000, outputTokens: 500 };
    const bound = (factor: string) =>
      sheet(PRICES).boundNanoUsd(largest, 0, { ...NO_SURCHARGE, tokenFactor: factorOf(factor) });
    expect(bound('2')).toBe(2n * tokens + request);
    expect(bound('0.5')).toBe(tokens + request);
  });

  test('a factor is a decimal number', () => {
    expect(factorOf('1.75')).toBe(1_750_000n);
    expect(() => factorOf('-1')).toThrow();
    expect(() => factorOf('1.7500001')).toThrow();
  });
});
