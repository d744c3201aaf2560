import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { promptTokens, type Usage } from '../exchange/usage.ts';
import { PriceSheet } from './price-sheet.ts';
import { type ModelPricing, PRICE_KEYS, type PriceKey, type Prices } from './pricing.ts';
import type { RequestCounts } from './tariff.ts';

const NOW = 1_800_000_000_000;

function sheet(pricing: ModelPricing): PriceSheet {
  const parsed = PriceSheet.parse(pricing);
  if (parsed === null) throw new Error('no price is known');
  return parsed;
}

function usage(parts: Partial<Usage> = {}): Usage {
  return { input: 0, cachedInput: 0, cacheWrite: 0, output: 0, reasoning: 0, source: 'reported', ...parts };
}

const cost = (pricing: ModelPricing, parts: Partial<Usage>, counts?: RequestCounts) =>
  sheet(pricing).costNanoUsd(usage(parts), NOW, counts);

/* A reference that shares nothing with the code: sums of fractions, each price with its own denominator, rounded once. */

interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

function fraction(decimal: string, per: bigint): Fraction {
  const [whole = '', decimals = ''] = decimal.split('.');
  return { numerator: BigInt(whole + decimals), denominator: 10n ** BigInt(decimals.length) * per };
}

function sum(terms: readonly (readonly [count: number, price: Fraction])[]): Fraction {
  return terms.reduce<Fraction>(
    (total, [count, price]) => ({
      numerator: total.numerator * price.denominator + BigInt(count) * price.numerator * total.denominator,
      denominator: total.denominator * price.denominator,
    }),
    { numerator: 0n, denominator: 1n },
  );
}

/** In nano-USD, half up. */
function rounded({ numerator, denominator }: Fraction): bigint {
  const scaled = numerator * 1_000_000_000n;
  const rest = scaled % denominator;
  return scaled / denominator + (rest * 2n >= denominator ? 1n : 0n);
}

const M = 1_000_000n;
const FALLBACKS: readonly (readonly [part: keyof Usage, per: bigint, ...keys: PriceKey[]])[] = [
  ['input', M, 'input_per_1m'],
  ['cachedInput', M, 'cached_input_per_1m', 'input_per_1m'],
  ['cacheWrite', M, 'cache_write_per_1m', 'input_per_1m'],
  ['cacheWrite1h', M, 'cache_write_1h_per_1m', 'cache_write_per_1m', 'input_per_1m'],
  ['inputAudio', M, 'audio_input_per_1m', 'input_per_1m'],
  ['inputImage', M, 'image_input_per_1m', 'input_per_1m'],
  ['output', M, 'output_per_1m'],
  ['reasoning', M, 'reasoning_per_1m', 'output_per_1m'],
  ['outputAudio', M, 'audio_output_per_1m', 'output_per_1m'],
  ['outputImage', M, 'image_output_per_1m', 'output_per_1m'],
  ['webSearches', 1n, 'per_web_search'],
];

function reference(prices: Prices, used: Usage, counts: RequestCounts): bigint {
  const terms: [number, Fraction][] = FALLBACKS.map(([part, per, ...keys]) => {
    const price = keys.map((key) => prices[key]).find((one) => one !== undefined) ?? '0';
    return [(used[part] as number | undefined) ?? 0, fraction(price, per)];
  });
  terms.push(
    [1, fraction(prices.per_request ?? '0', 1n)],
    [counts.images ?? 0, fraction(prices.per_image ?? '0', 1n)],
    [counts.durationMs ?? 0, fraction(prices.per_second ?? '0', 1_000n)],
    [counts.characters ?? 0, fraction(prices.per_character ?? '0', 1n)],
  );
  return rounded(sum(terms));
}

const price = fc.oneof(
  fc.stringMatching(/^\d{1,4}\.\d{1,18}$/),
  fc.stringMatching(/^\d{1,3}$/),
  fc.constantFrom('0', '0.000000000000000001', '999999999999999.999999999999999999'),
);
const pricesOf: fc.Arbitrary<Prices> = fc
  .record(Object.fromEntries(PRICE_KEYS.map((key) => [key, price])), { requiredKeys: [] })
  .filter((prices) => Object.keys(prices).length > 0);

const tokens = fc.oneof(fc.nat({ max: 300 }), fc.nat({ max: 3_000_000 }), fc.maxSafeNat());
const usages: fc.Arbitrary<Usage> = fc.record(
  {
    input: tokens,
    cachedInput: tokens,
    cacheWrite: tokens,
    cacheWrite1h: tokens,
    inputAudio: tokens,
    inputImage: tokens,
    output: tokens,
    reasoning: tokens,
    outputAudio: tokens,
    outputImage: tokens,
    webSearches: fc.nat({ max: 50 }),
    source: fc.constant('reported' as const),
  },
  { requiredKeys: ['input', 'cachedInput', 'cacheWrite', 'output', 'reasoning', 'source'] },
);
const counted: fc.Arbitrary<RequestCounts> = fc.record(
  { images: fc.nat({ max: 10 }), durationMs: fc.nat(), characters: fc.nat() },
  { requiredKeys: [] },
);

describe('a sum', () => {
  test('is exact, and rounded once, half up', () => {
    fc.assert(
      fc.property(pricesOf, usages, counted, (prices, used, counts) => {
        expect(sheet(prices).costNanoUsd(used, NOW, counts)).toBe(reference(prices, used, counts));
      }),
      { numRuns: 2_000 },
    );
  });

  test('never falls when a part grows', () => {
    const parts = FALLBACKS.map(([part]) => part);
    fc.assert(
      fc.property(pricesOf, usages, fc.constantFrom(...parts), fc.nat({ max: 1_000 }), (prices, used, part, more) => {
        const grown = { ...used, [part]: ((used[part] as number | undefined) ?? 0) + more };
        const priced = sheet(prices);
        expect(priced.costNanoUsd(grown, NOW)).toBeGreaterThanOrEqual(priced.costNanoUsd(used, NOW));
      }),
    );
  });

  test('is rounded as a whole, not part by part', () => {
    const half = { input_per_1m: '0.0005', output_per_1m: '0.0005' };
    expect(cost(half, { input: 1 })).toBe(1n);
    expect(cost(half, { input: 1, output: 1 })).toBe(1n);
    expect(cost({ input_per_1m: '0.000499999999999999' }, { input: 1 })).toBe(0n);
  });
});

const KNOWN: readonly (readonly [string, ModelPricing, Partial<Usage>, RequestCounts, bigint])[] = [
  ['input and output', { input_per_1m: '0.15', output_per_1m: '0.60' }, { input: 1000, output: 500 }, {}, 450_000n],
  ['a zero as nothing', { input_per_1m: '3' }, {}, {}, 0n],
  ['an output without a price as nothing', { input_per_1m: '1' }, { input: 1, output: 9 }, {}, 1_000n],
  ['a cached token at its price', { input_per_1m: '3', cached_input_per_1m: '0.3' }, { cachedInput: 10 }, {}, 3_000n],
  ['a cached token as input', { input_per_1m: '3' }, { cachedInput: 10 }, {}, 30_000n],
  ['a free cached token', { input_per_1m: '3', cached_input_per_1m: '0' }, { cachedInput: 10 }, {}, 0n],
  ['an hour in the cache as 5 minutes', { cache_write_per_1m: '3.75' }, { cacheWrite1h: 4 }, {}, 15_000n],
  [
    'an hour in the cache',
    { input_per_1m: '3', cache_write_1h_per_1m: '6' },
    { cacheWrite1h: 4, cacheWrite: 1 },
    {},
    27_000n,
  ],
  ['reasoning as output', { output_per_1m: '2' }, { reasoning: 3 }, {}, 6_000n],
  ['reasoning apart', { output_per_1m: '2', reasoning_per_1m: '5' }, { reasoning: 3, output: 1 }, {}, 17_000n],
  ['the request', { per_request: '0.04' }, { input: 5 }, {}, 40_000_000n],
  ['searches', { per_web_search: '0.01' }, { webSearches: 2 }, {}, 20_000_000n],
  ['images', { per_image: '0.039' }, {}, { images: 3 }, 117_000_000n],
  ['seconds by the millisecond', { per_second: '0.0001' }, {}, { durationMs: 1_505 }, 150_500n],
  ['characters', { per_character: '0.000015' }, {}, { characters: 11 }, 165_000n],
];

test.each(KNOWN)('charges %s', (_name, pricing, parts, counts, expected) => {
  expect(cost(pricing, parts, counts)).toBe(expected);
});

describe('what has no price', () => {
  test.each([[null], [{}], [[]], [{ input_per_1m: 'cheap' }], [{ input_per_1m: '1e3' }]] as ModelPricing[][])(
    '%p is no sheet',
    (pricing) => {
      expect(PriceSheet.parse(pricing as ModelPricing)).toBeNull();
    },
  );

  test('what is free costs nothing, whatever was used', () => {
    fc.assert(fc.property(usages, counted, (used, counts) => sheet('free').costNanoUsd(used, NOW, counts) === 0n));
    expect(sheet('free').isFree).toBe(true);
    expect(sheet({ input_per_1m: '0', output_per_1m: '0.00' }).isFree).toBe(true);
    expect(sheet({ input_per_1m: '0', output_per_1m: '0.000000000000000001' }).isFree).toBe(false);
  });
});

describe('periods', () => {
  const SEPTEMBER = Date.UTC(2026, 8, 1);
  const periods = (first: number | null): ModelPricing => [
    { effectiveFromMs: first, prices: { input_per_1m: '1' }, tiers: [] },
    { effectiveFromMs: SEPTEMBER, prices: { input_per_1m: '2' }, tiers: [] },
    { effectiveFromMs: SEPTEMBER + 1_000, prices: { input_per_1m: '3' }, tiers: [] },
  ];

  test.each([null, SEPTEMBER - 500])('the one in force counts, and before the first (%p) the first', (first) => {
    const moments = [0, SEPTEMBER - 1, SEPTEMBER, SEPTEMBER + 999, SEPTEMBER + 1_000, SEPTEMBER + 1e9];
    const costs = moments.map((atMs) => sheet(periods(first)).costNanoUsd(usage({ input: 1 }), atMs));
    expect(costs).toEqual([1_000n, 1_000n, 2_000n, 2_000n, 3_000n, 3_000n]);
  });
});

describe('tiers', () => {
  const pricing: ModelPricing = [
    {
      effectiveFromMs: null,
      prices: { input_per_1m: '1', cached_input_per_1m: '0.1', output_per_1m: '10' },
      tiers: [
        { aboveInputTokens: 200, prices: { input_per_1m: '2', output_per_1m: '20' } },
        { aboveInputTokens: 400, prices: { input_per_1m: '4' } },
      ],
    },
  ];

  test('hold for all tokens of a request with a longer prompt', () => {
    expect(cost(pricing, { input: 200, output: 1 })).toBe(210_000n);
    expect(cost(pricing, { input: 201, output: 1 })).toBe(422_000n);
  });

  test('count every part of the prompt', () => {
    const parts = { input: 1, cachedInput: 50, cacheWrite: 50, cacheWrite1h: 50, inputAudio: 25, inputImage: 25 };
    expect(cost(pricing, parts)).toBe(50n * 100n + 151n * 2_000n);
    expect(cost(pricing, { ...parts, input: 0 })).toBe(50n * 100n + 150n * 1_000n);
  });

  test("take what they leave out from the period's prices, not from a lower tier", () => {
    expect(cost(pricing, { cachedInput: 500, output: 1 })).toBe(500n * 100n + 10_000n);
  });

  test('a price that falls back takes the tier that holds', () => {
    expect(cost(pricing, { cacheWrite: 300 })).toBe(600_000n);
    expect(cost(pricing, { input: 201, reasoning: 1 })).toBe(422_000n);
  });
});

describe('a bound', () => {
  const tiered = fc
    .tuple(
      pricesOf,
      fc.uniqueArray(fc.record({ above: fc.nat({ max: 500 }), prices: pricesOf }), {
        maxLength: 3,
        selector: ({ above }) => above,
      }),
    )
    .map(
      ([prices, tiers]): ModelPricing => [
        {
          effectiveFromMs: null,
          prices,
          tiers: [...tiers]
            .sort((a, b) => a.above - b.above)
            .map(({ above, prices: own }) => ({ aboveInputTokens: above, prices: own })),
        },
      ],
    );
  const few = fc.nat({ max: 150 });
  const smallUsages = fc.record({
    input: few,
    cachedInput: few,
    cacheWrite: few,
    cacheWrite1h: few,
    inputAudio: few,
    inputImage: few,
    output: few,
    reasoning: few,
    outputAudio: few,
    outputImage: few,
    source: fc.constant('reported' as const),
  });

  test('is never below what a request within it costs', () => {
    fc.assert(
      fc.property(tiered, smallUsages, few, few, counted, (pricing, used, moreInput, moreOutput, counts) => {
        const priced = sheet(pricing);
        const inputTokens = promptTokens(used) + moreInput;
        const outputTokens = used.output + used.reasoning + used.outputAudio + used.outputImage + moreOutput;
        const bound = priced.boundNanoUsd({ inputTokens, outputTokens, ...counts }, NOW);
        expect(bound).toBeGreaterThanOrEqual(priced.costNanoUsd(used, NOW, counts));
      }),
      { numRuns: 2_000 },
    );
  });

  test('is the dearest kind of token, rounded up', () => {
    const prices = { input_per_1m: '3', cache_write_1h_per_1m: '6', output_per_1m: '15', per_request: '0.001' };
    expect(sheet(prices).boundNanoUsd({ inputTokens: 10, outputTokens: 2 }, NOW)).toBe(1_090_000n);
    expect(sheet({ input_per_1m: '0.0001' }).boundNanoUsd({ inputTokens: 1, outputTokens: 0 }, NOW)).toBe(1n);
    expect(
      sheet({ per_web_search: '0.01' }).boundNanoUsd({ inputTokens: 1, outputTokens: 0, webSearches: 2 }, NOW),
    ).toBe(20_000_000n);
  });

  test('counts a shorter prompt where that is dearer', () => {
    const pricing: ModelPricing = [
      {
        effectiveFromMs: null,
        prices: { input_per_1m: '10' },
        tiers: [{ aboveInputTokens: 100, prices: { input_per_1m: '1' } }],
      },
    ];
    expect(sheet(pricing).boundNanoUsd({ inputTokens: 101, outputTokens: 0 }, NOW)).toBe(1_000_000n);
    expect(sheet(pricing).boundNanoUsd({ inputTokens: 2_000, outputTokens: 0 }, NOW)).toBe(2_000_000n);
  });
});
