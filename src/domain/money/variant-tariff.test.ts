import { describe, expect, test } from 'bun:test';
import { VariantTariff } from './variant-tariff.ts';

function tariffOf(prices: Readonly<Record<string, bigint>>, general?: bigint): VariantTariff {
  const tariff = VariantTariff.of(new Map(Object.entries(prices)), general, 1n);
  if (tariff === undefined) throw new Error('there are prices');
  return tariff;
}

describe('a resolution without a price of its own', () => {
  const tariff = tariffOf({ '720p': 2n, '1080p': 5n, '1080p/audio': 7n, '4k': 20n }, 1n);

  test.each([
    ['480p', 1n],
    ['720p', 2n],
    ['721p', 2n],
    ['1080p/pro', 5n],
    ['1081p', 5n],
    ['1081p/audio', 7n],
    ['1440p', 5n],
    ['2k', 5n],
    ['2160p', 20n],
    ['4k/audio', 20n],
    ['8k', 20n],
    ['4320p', 20n],
  ])('costs no less than a smaller one: %s', (variant, price) => {
    expect(tariff.priceOf(variant)).toBe(price);
    expect(tariff.mostOf(variant)).toBeGreaterThanOrEqual(price);
  });
});

describe('a length without a price of its own', () => {
  const tariff = tariffOf({ '768p/6s': 2n, '768p/10s': 4n, '1080p/6s': 5n, '1080p/6s/audio': 6n }, 1n);

  test.each([
    ['768p/5s', 1n],
    ['768p/6s', 2n],
    ['768p/8s', 2n],
    ['768p/12s', 4n],
    ['1080p/10s', 5n],
    ['1080p/10s/audio', 6n],
    ['900p/6s', 2n],
    ['4k/60s', 5n],
    ['512p/60s', 1n],
  ])('costs no less than a shorter one: %s', (variant, price) => {
    expect(tariff.priceOf(variant)).toBe(price);
    expect(tariff.mostOf(variant)).toBeGreaterThanOrEqual(price);
  });
});

test.each(['k', 'p', '0p', '1080', '1080px', '9999999p', 'high', '1024x1024', '999k', '4k/'])(
  'a variant that is not a resolution costs the general price: %s',
  (variant) => {
    expect(tariffOf({ '720p': 2n }, 1n).priceOf(variant)).toBe(variant === '4k/' ? 2n : 1n);
  },
);
