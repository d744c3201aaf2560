import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { billableOf, promptTokens, type Usage } from '../exchange/usage.ts';
import { PriceSheet } from './price-sheet.ts';
import { type ModelPricing, PRICE_KEYS, type PriceKey, type Prices, type VariantPrices } from './pricing.ts';
import type { Billable, Quantity } from './quantity.ts';
import { NO_SURCHARGE } from './surcharge.ts';

const NOW = 1_800_000_000_000;

function sheet(pricing: ModelPricing): PriceSheet {
  const parsed = PriceSheet.parse(pricing);
  if (parsed === null) throw new Error('no price is known');
  return parsed;
}

function usage(parts: Partial<Usage> = {}): Usage {
  return { input: 0, cachedInput: 0, cacheWrite: 0, output: 0, reasoning: 0, source: 'reported', ...parts };
}

/** An image, a second or a character. */
type Piece = Quantity<'image' | 'millisecond' | 'character'>;

function billable(used: Usage, pieces: readonly Piece[] = []): Billable {
  const { quantities, source } = billableOf(used);
  return { quantities: [...quantities, ...pieces], source };
}

const cost = (pricing: ModelPricing, parts: Partial<Usage>, pieces?: readonly Piece[]) =>
  sheet(pricing).costNanoUsd(billable(usage(parts), pieces), NOW);

/* An independent reference: sums of fractions, each price with its own denominator, rounded once. */

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

/** Returns nano-USD, rounded half up. */
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

const PIECE_PRICES = {
  image: ['per_image', 'per_image_variants', 1n],
  millisecond: ['per_second', 'per_second_variants', 1_000n],
  character: ['per_character', null, 1n],
} as const;

/** Parses a variant's name into pixels and the rest. */
function sized(variant: string): { readonly pixels: number; readonly quality: string | undefined } | null {
  const [size = '', quality] = variant.split('/');
  const [width, height] = size.split('x').map(Number);
  return width && height ? { pixels: width * height, quality } : null;
}

function linesOf(name: string): number | null {
  return name.endsWith('p') ? Number.parseInt(name, 10) : null;
}

/**
 * Returns the price of the variant or of its longest priced prefix, otherwise the general price, otherwise the most expensive
 * variant; but at least the price of a smaller size with the same quality or none, or of a smaller resolution.
 */
function priceOfPiece(prices: Prices, { unit, variant }: Piece): Fraction {
  const [key, variantKey, per] = PIECE_PRICES[unit];
  const own: VariantPrices = (variantKey === null ? undefined : prices[variantKey]) ?? {};
  const [size = '', quality] = (variant ?? '').split('/');
  const price = (quality === undefined ? undefined : own[`${size}/${quality}`]) ?? own[size];
  if (price !== undefined) return fraction(price, per);
  const less = (one: Fraction, other: Fraction) =>
    one.numerator * other.denominator < other.numerator * one.denominator;
  const dearest = (texts: readonly string[]) =>
    texts.map((text) => fraction(text, per)).reduce((most, one) => (less(most, one) ? one : most), fraction('0', 1n));
  const general = prices[key];
  if (general === undefined) return dearest(Object.values(own));
  const asked = sized(variant ?? '');
  const smaller = Object.entries(own).filter(([name]) => {
    const one = sized(name);
    const lines = linesOf(variant ?? '');
    if (lines !== null && (linesOf(name) ?? Infinity) <= lines) return true;
    if (asked === null || one === null || one.pixels > asked.pixels) return false;
    return one.quality === undefined || one.quality === asked.quality;
  });
  return dearest([general, ...smaller.map(([, text]) => text)]);
}

function reference(prices: Prices, used: Usage, pieces: readonly Piece[]): bigint {
  const terms: [number, Fraction][] = FALLBACKS.map(([part, per, ...keys]) => {
    const price = keys.map((key) => prices[key]).find((one) => one !== undefined) ?? '0';
    return [(used[part] as number | undefined) ?? 0, fraction(price, per)];
  });
  terms.push(
    [1, fraction(prices.per_request ?? '0', 1n)],
    ...pieces.map((piece): [number, Fraction] => [piece.amount, priceOfPiece(prices, piece)]),
  );
  return rounded(sum(terms));
}

const price = fc.oneof(
  fc.stringMatching(/^\d{1,4}\.\d{1,18}$/),
  fc.stringMatching(/^\d{1,3}$/),
  fc.constantFrom('0', '0.000000000000000001', '999999999999999.999999999999999999'),
);
const variant = fc.constantFrom(
  '1024x1024/high',
  '1024x1024/low',
  '1024x1024',
  '512x512/high',
  '512x512',
  '720p',
  '1080p',
);
const variantPrices = fc.dictionary(variant, price, { maxKeys: 4 });
const pricesOf: fc.Arbitrary<Prices> = fc
  .record(
    {
      ...Object.fromEntries(PRICE_KEYS.map((key) => [key, price])),
      per_image_variants: variantPrices,
      per_second_variants: variantPrices,
    },
    { requiredKeys: [] },
  )
  .filter((prices) => PriceSheet.parse(prices) !== null);

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
const counted: fc.Arbitrary<readonly Piece[]> = fc.array(
  fc
    .tuple(fc.constantFrom('image', 'millisecond', 'character'), fc.nat(), fc.option(variant))
    .map(([unit, amount, of]): Piece => ({ unit, amount, ...(of === null ? {} : { variant: of }) })),
  { maxLength: 4 },
);

describe('a cost', () => {
  test('is exact, and rounded once, half up', () => {
    fc.assert(
      fc.property(pricesOf, usages, counted, (prices, used, pieces) => {
        expect(sheet(prices).costNanoUsd(billable(used, pieces), NOW)).toBe(reference(prices, used, pieces));
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
        expect(priced.costNanoUsd(billable(grown), NOW)).toBeGreaterThanOrEqual(
          priced.costNanoUsd(billable(used), NOW),
        );
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

const KNOWN: readonly (readonly [string, ModelPricing, Partial<Usage>, readonly Piece[], bigint])[] = [
  ['input and output', { input_per_1m: '0.15', output_per_1m: '0.60' }, { input: 1000, output: 500 }, [], 450_000n],
  ['nothing for no usage', { input_per_1m: '3' }, {}, [], 0n],
  ['nothing for output without a price', { input_per_1m: '1' }, { input: 1, output: 9 }, [], 1_000n],
  [
    'a cached token at its own price',
    { input_per_1m: '3', cached_input_per_1m: '0.3' },
    { cachedInput: 10 },
    [],
    3_000n,
  ],
  ['a cached token as input', { input_per_1m: '3' }, { cachedInput: 10 }, [], 30_000n],
  ['a free cached token', { input_per_1m: '3', cached_input_per_1m: '0' }, { cachedInput: 10 }, [], 0n],
  ['an hour in the cache at the price of 5 minutes', { cache_write_per_1m: '3.75' }, { cacheWrite1h: 4 }, [], 15_000n],
  [
    'an hour in the cache at its own price',
    { input_per_1m: '3', cache_write_1h_per_1m: '6' },
    { cacheWrite1h: 4, cacheWrite: 1 },
    [],
    27_000n,
  ],
  ['reasoning as output', { output_per_1m: '2' }, { reasoning: 3 }, [], 6_000n],
  ['reasoning separately', { output_per_1m: '2', reasoning_per_1m: '5' }, { reasoning: 3, output: 1 }, [], 17_000n],
  ['a price per request', { per_request: '0.04' }, { input: 5 }, [], 40_000_000n],
  ['searches', { per_web_search: '0.01' }, { webSearches: 2 }, [], 20_000_000n],
  ['images', { per_image: '0.039' }, {}, [{ unit: 'image', amount: 3 }], 117_000_000n],
  ['seconds to the millisecond', { per_second: '0.0001' }, {}, [{ unit: 'millisecond', amount: 1_505 }], 150_500n],
  ['characters', { per_character: '0.000015' }, {}, [{ unit: 'character', amount: 11 }], 165_000n],
];

test.each(KNOWN)('a sheet charges %s', (_name, pricing, parts, pieces, expected) => {
  expect(cost(pricing, parts, pieces)).toBe(expected);
});

describe('variants', () => {
  const prices = {
    per_image: '0.04',
    per_image_variants: { '1024x1024/high': '0.167', '1024x1024': '0.05', '512x512': '0.02' },
  };
  const images = (...variants: readonly (string | undefined)[]) =>
    variants.map((of): Piece => ({ unit: 'image', amount: 1, ...(of === undefined ? {} : { variant: of }) }));

  test.each([
    ['of their own', '1024x1024/high', 167_000_000n],
    ['of their prefix', '1024x1024/low', 50_000_000n],
    ['of any image if no price matches', '256x256/high', 40_000_000n],
    ['of a smaller size if that is dearer', '2048x2048/high', 167_000_000n],
    ['of a smaller size without a quality', '2048x2048/low', 50_000_000n],
    ['of any image if the smaller size is cheaper', '513x512', 40_000_000n],
    ['of any image if unknown', undefined, 40_000_000n],
  ])('cost the price %s', (_name, of, expected) => {
    expect(cost(prices, {}, images(of))).toBe(expected);
  });

  test('without a general price cost as much as the most expensive, never nothing', () => {
    const { per_image_variants } = prices;
    expect(cost({ per_image_variants }, {}, images('2048x2048', undefined))).toBe(334_000_000n);
    expect(cost({ per_image_variants }, {}, images('512x512', '512x512'))).toBe(40_000_000n);
  });

  test('are bounded by their own price if known, else by the most expensive', () => {
    const bound = (pieces: readonly Piece[]) =>
      sheet(prices).boundNanoUsd({ inputTokens: 0, outputTokens: 0, pieces }, NOW);
    expect(bound(images('512x512/low', '1024x1024/low'))).toBe(70_000_000n);
    expect(bound(images('1024x1024'))).toBe(167_000_000n);
    expect(bound(images(undefined))).toBe(167_000_000n);
    expect(bound(images('1025x1024'))).toBe(167_000_000n);
    expect(bound(images('1025x1024/low'))).toBe(50_000_000n);
    expect(bound(images('1023x1024'))).toBe(40_000_000n);
  });

  test('of a video are priced per second', () => {
    const video = { per_second: '0.05', per_second_variants: { '1080p': '0.5' } };
    expect(cost(video, {}, [{ unit: 'millisecond', amount: 1_500, variant: '1080p' }])).toBe(750_000_000n);
    expect(cost(video, {}, [{ unit: 'millisecond', amount: 1_500, variant: '720p' }])).toBe(75_000_000n);
  });

  test('are not free if one of them has a price', () => {
    expect(sheet({ per_image: '0', per_image_variants: { '1080p': '0' } }).isFree).toBe(true);
    expect(sheet({ per_image: '0', per_image_variants: { '1080p': '0.1' } }).isFree).toBe(false);
  });
});

describe('a price sheet', () => {
  test.each([[null], [{}], [[]], [{ input_per_1m: 'cheap' }], [{ input_per_1m: '1e3' }]] as ModelPricing[][])(
    'is not made from %p',
    (pricing) => {
      expect(PriceSheet.parse(pricing as ModelPricing)).toBeNull();
    },
  );

  test('of free pricing costs nothing, whatever was used', () => {
    fc.assert(
      fc.property(usages, counted, (used, pieces) => sheet('free').costNanoUsd(billable(used, pieces), NOW) === 0n),
    );
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

  test.each([null, SEPTEMBER - 500])('apply while in force, and the first one before it begins (%p)', (first) => {
    const moments = [0, SEPTEMBER - 1, SEPTEMBER, SEPTEMBER + 999, SEPTEMBER + 1_000, SEPTEMBER + 1e9];
    const costs = moments.map((atMs) => sheet(periods(first)).costNanoUsd(billable(usage({ input: 1 })), atMs));
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

  test('apply to all tokens of a request with a longer prompt', () => {
    expect(cost(pricing, { input: 200, output: 1 })).toBe(210_000n);
    expect(cost(pricing, { input: 201, output: 1 })).toBe(422_000n);
  });

  test('are chosen by every part of the prompt', () => {
    const parts = { input: 1, cachedInput: 50, cacheWrite: 50, cacheWrite1h: 50, inputAudio: 25, inputImage: 25 };
    expect(cost(pricing, parts)).toBe(50n * 100n + 151n * 2_000n);
    expect(cost(pricing, { ...parts, input: 0 })).toBe(50n * 100n + 150n * 1_000n);
  });

  test('fall back to the prices of the period, not of a lower tier', () => {
    expect(cost(pricing, { cachedInput: 500, output: 1 })).toBe(500n * 100n + 10_000n);
  });

  test('also apply to prices that fall back', () => {
    expect(cost(pricing, { cacheWrite: 300 })).toBe(600_000n);
    expect(cost(pricing, { input: 201, reasoning: 1 })).toBe(422_000n);
  });
});

/** Returns the piece with only this many segments of its variant, because a request may leave an image's quality open. */
function withBeginning({ unit, amount, variant }: Piece, segments: number): Piece {
  const known = variant?.split('/').slice(0, segments).join('/');
  return { unit, amount, ...(known ? { variant: known } : {}) };
}

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

  test('is never below the cost of a request within it', () => {
    fc.assert(
      fc.property(tiered, smallUsages, few, few, counted, (pricing, used, moreInput, moreOutput, pieces) => {
        const priced = sheet(pricing);
        const inputTokens = promptTokens(used) + moreInput;
        const outputTokens = used.output + used.reasoning + used.outputAudio + used.outputImage + moreOutput;
        const costs = priced.costNanoUsd(billable(used, pieces), NOW);
        for (const segments of [2, 1, 0]) {
          const known = pieces.map((piece) => withBeginning(piece, segments));
          const bound = priced.boundNanoUsd({ inputTokens, outputTokens, pieces: known }, NOW);
          expect(bound).toBeGreaterThanOrEqual(costs);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test('is exact beyond floating-point precision', () => {
    const written = fc.stringMatching(/^\d{1,4}\.\d{1,6}$/);
    const some = fc.record({
      input_per_1m: written,
      output_per_1m: written,
      cache_write_per_1m: written,
      per_request: written,
    });
    fc.assert(
      fc.property(some, tokens, tokens, fc.boolean(), (prices, inputTokens, outputTokens, isTextOnly) => {
        const bound = { inputTokens, outputTokens, isTextOnly };
        // An equal but different object bypasses the fast path for no surcharge, so arbitrary-precision integers are
        // used.
        const exact = sheet(prices).boundNanoUsd(bound, NOW, { ...NO_SURCHARGE });
        expect(sheet(prices).boundNanoUsd(bound, NOW)).toBe(exact);
      }),
      { numRuns: 2_000 },
    );
  });

  test('uses the most expensive kind of token, rounded up', () => {
    const prices = { input_per_1m: '3', cache_write_1h_per_1m: '6', output_per_1m: '15', per_request: '0.001' };
    expect(sheet(prices).boundNanoUsd({ inputTokens: 10, outputTokens: 2 }, NOW)).toBe(1_090_000n);
    expect(sheet({ input_per_1m: '0.0001' }).boundNanoUsd({ inputTokens: 1, outputTokens: 0 }, NOW)).toBe(1n);
    expect(
      sheet({ per_web_search: '0.01' }).boundNanoUsd({ inputTokens: 1, outputTokens: 0, webSearches: 2 }, NOW),
    ).toBe(20_000_000n);
    const searched = { inputTokens: 1, outputTokens: 0, requests: 3 };
    expect(sheet({ per_request: '0.002' }).boundNanoUsd(searched, NOW)).toBe(6_000_000n);
    expect(sheet({ per_request: '0.002' }).boundNanoUsd({ inputTokens: 1, outputTokens: 0 }, NOW)).toBe(2_000_000n);
  });

  test('assumes a shorter prompt if that is more expensive', () => {
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
