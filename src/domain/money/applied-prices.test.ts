import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { type AppliedPrices, priceParts } from './applied-prices.ts';
import { costJsonIn } from './cost-parts.ts';
import { asDrawn } from './drawn.ts';
import { formatNanoUsd, parseNanoUsd } from './nano-usd.ts';
import { PriceSheet } from './price-sheet.ts';
import { PRICE_KEYS, type Prices } from './pricing.ts';
import { type Billable, NOTHING_BILLABLE, type Quantity, UNITS } from './quantity.ts';
import { factorOf, NO_SURCHARGE, type Surcharge } from './surcharge.ts';

const price = fc
  .tuple(fc.nat({ max: 99 }), fc.stringMatching(/^\d{1,18}$/))
  .map(([whole, fraction]) => `${whole}.${fraction}`);
const prices: fc.Arbitrary<Prices> = fc
  .record(Object.fromEntries(PRICE_KEYS.map((key) => [key, price])), { requiredKeys: ['input_per_1m'] })
  .chain((general) =>
    fc
      .option(fc.dictionary(fc.constantFrom('1024x1024/high', '512x512', '2048x2048'), price, { minKeys: 1 }))
      .map((variants) => ({ ...general, ...(variants !== null && { per_image_variants: variants }) }) as Prices),
  );
const quantity: fc.Arbitrary<Quantity> = fc
  .record({ unit: fc.constantFrom(...UNITS), amount: fc.nat() })
  .chain((of) =>
    of.unit === 'image'
      ? fc
          .option(fc.constantFrom('1024x1024/high', '512x512/low', '4096x4096', 'odd'), { nil: undefined })
          .map((variant) => (variant === undefined ? of : { ...of, variant }))
      : fc.constant(of),
  );
const billable: fc.Arbitrary<Billable> = fc.record({
  quantities: fc.array(fc.oneof(quantity, quantity.filter(({ unit }) => unit !== 'web_search').map(asDrawn)), {
    maxLength: 8,
  }),
  source: fc.constant('reported' as const),
});
const surcharge: fc.Arbitrary<Surcharge | undefined> = fc.option(
  fc.record({
    tokenFactor: fc.constantFrom('1', '0.5', '1.75', '2.000001').map(factorOf),
    webSearchUsd: fc.constantFrom(null, '0.01', '0.035'),
    leastWebSearches: fc.nat({ max: 3 }),
    toolCalls: fc.constant(0),
    drawnAt: fc.option(prices.map((of) => PriceSheet.parse(of)?.tariffFor(NOTHING_BILLABLE, 0) ?? null)),
  }),
  { nil: undefined },
);

function sum(of: readonly { readonly nanoUsd: bigint }[]): bigint {
  return of.reduce((total, { nanoUsd }) => total + nanoUsd, 0n);
}

test('the parts add up to the cost, apart from rounding', () => {
  fc.assert(
    fc.property(prices, billable, surcharge, (of, used, extra) => {
      const tariff = PriceSheet.parse(of)?.tariffFor(used, 0);
      if (tariff === undefined) throw new Error('the prices can be read');
      const charged = tariff.costNanoUsd(used, extra);
      // The prices as they are read back from the log.
      const applied = JSON.parse(JSON.stringify(tariff.appliedTo(used, extra))) as AppliedPrices;
      const parts = priceParts(used, applied, charged);
      expect(sum(parts)).toBe(charged);
      const rounding = sum(parts.filter(({ kind }) => kind === 'rounding'));
      expect(rounding < 0n ? -rounding : rounding).toBeLessThanOrEqual(BigInt(parts.length));
      expect(parts.every(({ kind }) => kind === 'usage' || kind === 'rounding')).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

const USED: Billable = {
  quantities: [
    { unit: 'input_token', amount: 1_000 },
    { unit: 'cached_input_token', amount: 500 },
    { unit: 'image', amount: 2, variant: '512x512' },
    { unit: 'request', amount: 1 },
  ],
  source: 'reported',
};

test('each part has its count and its price', () => {
  const sheet = PriceSheet.parse({
    input_per_1m: '0.15',
    cached_input_per_1m: '0',
    per_image_variants: { '512x512': '0.02' },
  });
  const extra = { ...NO_SURCHARGE, tokenFactor: factorOf('1.5'), webSearchUsd: '0.01', leastWebSearches: 2 };
  const applied = sheet?.tariffFor(USED, 0).appliedTo(USED, extra);
  expect(applied).toEqual({
    prices: { input_token: '0.15', 'image 512x512': '0.02', web_search: '0.01' },
    tokenFactor: 1_500_000,
    webSearches: 2,
  });
  expect(priceParts(USED, applied ?? { prices: {} }, 60_225_000n)).toMatchObject([
    { quantity: { unit: 'input_token', amount: 1_000 }, priceUsd: '0.15', factor: '1.5', nanoUsd: 225_000n },
    { quantity: { unit: 'cached_input_token', amount: 500 }, priceUsd: '0', nanoUsd: 0n },
    { quantity: { unit: 'image', variant: '512x512' }, factor: null, nanoUsd: 40_000_000n },
    { quantity: { unit: 'web_search', amount: 2 }, nanoUsd: 20_000_000n },
  ]);
});

test("an image that a tool drew has the image model's prices, whatever the service tier", () => {
  const chat = PriceSheet.parse({ input_per_1m: '2', output_per_1m: '10', per_image: '9' });
  const image = PriceSheet.parse({ input_per_1m: '5', image_output_per_1m: '32', per_image: '0.001' });
  const drawnAt = image?.tariffFor(NOTHING_BILLABLE, 0) ?? null;
  const used: Billable = {
    quantities: [
      { unit: 'input_token', amount: 1_000 },
      ...[
        { unit: 'input_token', amount: 100 } as const,
        { unit: 'image_output_token', amount: 1_056 } as const,
        { unit: 'image', amount: 1, variant: '1024x1024/medium' } as const,
      ].map(asDrawn),
    ],
    source: 'reported',
  };
  const extra = { ...NO_SURCHARGE, tokenFactor: factorOf('2'), drawnAt };
  const tariff = chat?.tariffFor(used, 0);
  // 1,000 tokens at 2 x 2 USD, 100 at 5, 1,056 at 32, and an image at 0.001.
  expect(tariff?.costNanoUsd(used, extra)).toBe(4_000_000n + 500_000n + 33_792_000n + 1_000_000n);
  expect(tariff?.appliedTo(used, extra).prices).toEqual({
    input_token: '2',
    'input_token image_generation': '5',
    'image_output_token image_generation': '32',
    'image image_generation/1024x1024/medium': '0.001',
  });
  // If no image model has a price, the chat model's prices are not used instead.
  expect([tariff?.costNanoUsd(used, NO_SURCHARGE), tariff?.costNanoUsd(used)]).toEqual([2_000_000n, 2_000_000n]);
});

test('the uncharged part of a cost is listed separately', () => {
  const prices = { input_token: '1' };
  const told = (applied: AppliedPrices, charged: bigint) =>
    priceParts(USED, applied, charged).flatMap(({ kind, nanoUsd }) => (kind === 'usage' ? [] : [[kind, nanoUsd]]));
  expect(told({ prices, percent: 10 }, 100_000n)).toEqual([['cache_share', -900_000n]]);
  expect(told({ prices, percent: 0 }, 0n)).toEqual([['cache_share', -1_000_000n]]);
  expect(told({ prices, heldNanoUsd: '400000' }, 600_000n)).toEqual([['held', -400_000n]]);
  expect(told({ prices }, 250_000n)).toEqual([['written_off', -750_000n]]);
  expect(told({ prices: {}, feeNanoUsd: '5000' }, 4_000n)).toEqual([
    ['fee', 5_000n],
    ['written_off', -1_000n],
  ]);
  expect(priceParts(null, { prices: {} }, 0n)).toEqual([]);
});

test('the told parts add up to what was charged, and are those of exact arithmetic', () => {
  fc.assert(
    fc.property(prices, billable, surcharge, fc.nat({ max: 100 }), (of, used, extra, percent) => {
      const tariff = PriceSheet.parse(of)?.tariffFor(used, 0);
      if (tariff === undefined) throw new Error('the prices can be read');
      const cost = tariff.costNanoUsd(used, extra);
      for (const charged of [cost, (cost * BigInt(percent)) / 100n]) {
        const told = toldParts(tariff.costMember(used, charged, extra));
        expect(told.total).toBe(charged);
        expect(sum(told.parts)).toBe(charged);
        expect(told.parts.every(({ nanoUsd }) => nanoUsd >= 0n)).toBe(true);
        // Numbers and exact arithmetic agree.
        expect(tariff.costMember(used, charged, extra ?? NO_SURCHARGE)).toBe(tariff.costMember(used, charged, extra));
      }
    }),
  );
});

test('a told cost has disjoint parts by unit, each within a nano-USD of its exact value', () => {
  const sheet = PriceSheet.parse({
    ...{ input_per_1m: '0.15', cached_input_per_1m: '0.0755', output_per_1m: '0.6', per_request: '0.000000001' },
    per_web_search: '0.01',
  });
  const quantities: readonly Quantity[] = [
    { unit: 'input_token', amount: 11 },
    { unit: 'cached_input_token', amount: 3 },
    { unit: 'output_token', amount: 7 },
    { unit: 'request', amount: 1 },
    { unit: 'web_search', amount: 2 },
  ];
  const used = { quantities, source: 'reported' } as const;
  expect(sheet?.tariffFor(used, 0).costMember(used, 20_006_078n)).toBe(
    ',"cost":{"total_usd":"0.020006078","input_usd":"0.00000165","cached_input_usd":"0.000000227","output_usd":"0.0000042",' +
      '"requests_usd":"0.000000001","web_searches_usd":"0.02"}',
  );
});

function toldParts(member: string) {
  const { total_usd: total, ...parts } = JSON.parse(costJsonIn(member)) as Record<string, string>;
  const nanoUsdOf = (usd = '') => {
    const amount = parseNanoUsd(usd);
    if (!amount.ok) throw new Error(`${usd} is not an amount`);
    // One spelling for one amount.
    expect(formatNanoUsd(amount.amountNanoUsd)).toBe(usd);
    return amount.amountNanoUsd;
  };
  return { total: nanoUsdOf(total), parts: Object.values(parts).map((usd) => ({ nanoUsd: nanoUsdOf(usd) })) };
}
