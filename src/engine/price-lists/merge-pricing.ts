import {
  type ModelPricing,
  PRICE_KEYS,
  type PriceKey,
  type PricePeriod,
  type Prices,
  type PriceTier,
  pricePeriods,
  VARIANT_PRICE_KEYS,
} from '../../domain/money/pricing.ts';
import { isNearestPrice, isRoundedPrice, isSamePrice } from './decimal-price.ts';
import type { ListedPricing } from './price-list-model.ts';

export interface FieldChange {
  /** A name as in the catalog's files: `input_per_1m`, `context`, or `output_per_1m above 200000` for the price of a tier. */
  readonly field: string;
  /** `null` if the field had no value before (`from`) or has none after (`to`). */
  readonly from: string | null;
  readonly to: string | null;
}

export interface MergedPricing {
  readonly pricing: ModelPricing;
  readonly fields: readonly FieldChange[];
  /** Whether the list's prices are for other units than the catalog's; with both, a request would be charged twice. */
  readonly isMeasuredOtherwise: boolean;
}

/** For each price, the one that is charged if it is absent. Lists often repeat that one. */
const GENERAL: Readonly<Partial<Record<PriceKey, PriceKey>>> = {
  cached_input_per_1m: 'input_per_1m',
  cache_write_per_1m: 'input_per_1m',
  cache_write_1h_per_1m: 'cache_write_per_1m',
  audio_input_per_1m: 'input_per_1m',
  image_input_per_1m: 'input_per_1m',
  reasoning_per_1m: 'output_per_1m',
  audio_output_per_1m: 'output_per_1m',
  image_output_per_1m: 'output_per_1m',
};

/**
 * Returns the catalog's prices with those that the list states. Prices that it does not state stay. Its tiers replace the catalog's, but a
 * tier with the same bound keeps what the list leaves out. If prices change over time, this changes the period of `day` (`YYYY-MM-DD`, the
 * list's), or the last one without a day.
 */
export function mergePricing(current: ModelPricing, listed: ListedPricing, day: string | null): MergedPricing {
  if (current === null || current === 'free') return fromNothing(listed, current === 'free' ? '0' : null);
  const periods = pricePeriods(current);
  const at = periodAt(periods, day);
  const period = periods[at];
  if (period === undefined) return fromNothing(listed, null);
  const accepted = acceptedPrices(period.prices, listed.prices);
  const prices = withPrices(period.prices, accepted, period.prices, listed.decimals ?? null);
  const isByPiece = hasPiece(period.prices);
  const tiers = isByPiece ? period.tiers : mergedTiers(period.tiers, listed, prices);
  const fields = [...priceChanges(period.prices, prices, '', null), ...tierChanges(period.tiers, tiers)];
  const isMeasuredOtherwise = Object.keys(accepted).length < Object.keys(listed.prices).length;
  if (fields.length === 0) return { pricing: current, fields, isMeasuredOtherwise };
  const merged = periods.with(at, { ...period, prices, tiers });
  return { pricing: simplest(merged), fields, isMeasuredOtherwise };
}

/** Returns the period to which a list of `day` applies, or `null` if the price is unknown or the model is free. */
export function listedPeriod(current: ModelPricing, day: string | null): PricePeriod | null {
  if (current === null || current === 'free') return null;
  const periods = pricePeriods(current);
  return periods[periodAt(periods, day)] ?? null;
}

/** Returns the tier with that bound, or else one whose bound is the same size written differently. */
export function tierAt(tiers: readonly PriceTier[], bound: number): PriceTier | undefined {
  return (
    tiers.find((tier) => tier.aboveInputTokens === bound) ??
    tiers.find((tier) => isSameSize(tier.aboveInputTokens, bound))
  );
}

function fromNothing(listed: ListedPricing, from: string | null): MergedPricing {
  const prices = withPrices({}, listed.prices, {}, null);
  const tiers = mergedTiers([], listed, prices);
  return {
    pricing: simplest([{ effectiveFromMs: null, prices, tiers }]),
    fields: [...priceChanges({}, prices, '', from), ...tierChanges([], tiers)],
    isMeasuredOtherwise: false,
  };
}

function simplest(periods: readonly PricePeriod[]): ModelPricing {
  const [first] = periods;
  const isPlain = periods.length === 1 && first?.effectiveFromMs === null && first.tiers.length === 0;
  return isPlain ? first.prices : periods;
}

function periodAt(periods: readonly PricePeriod[], day: string | null): number {
  if (day === null) return periods.length - 1;
  const atMs = Date.parse(day);
  return Math.max(
    0,
    periods.findLastIndex(({ effectiveFromMs }) => effectiveFromMs === null || effectiveFromMs <= atMs),
  );
}

function isTokenPrice(key: string): boolean {
  return key.endsWith('_per_1m');
}

function hasPiece(prices: Prices): boolean {
  return (
    PRICE_KEYS.some((key) => !isTokenPrice(key) && prices[key] !== undefined && key !== 'per_web_search') ||
    VARIANT_PRICE_KEYS.some((key) => prices[key] !== undefined)
  );
}

/**
 * Returns the listed prices that apply: for a model sold by the piece, only those that it already has; for one sold by tokens, those of
 * every kind of token.
 */
function acceptedPrices(current: Prices, listed: Prices): Prices {
  const isByPiece = hasPiece(current);
  return Object.fromEntries(
    Object.entries(listed).filter(
      ([key]) => current[key as PriceKey] !== undefined || (!isByPiece && isTokenPrice(key)),
    ),
  );
}

/**
 * Returns the merged prices without those that only repeat what is charged anyway. `decimals` is the number of decimals to which the list
 * rounds.
 */
function withPrices(current: Prices, listed: Prices, before: Prices, decimals: number | null): Prices {
  const merged: Prices = { ...current, ...listed };
  const kept = PRICE_KEYS.flatMap((key): [PriceKey, string][] => {
    const price = merged[key];
    if (price === undefined) return [];
    const old = before[key];
    if (old !== undefined) return [[key, saysTheSame(price, old, decimals) ? old : price]];
    const general = generalPrice(key, merged);
    return general !== undefined && isSamePrice(general, price) ? [] : [[key, price]];
  });
  return { ...variantPricesOf(current), ...Object.fromEntries(kept) };
}

/** Returns the prices of model variants, which no list has by the variant's name, so that the known ones stay. */
function variantPricesOf(prices: Prices): Prices {
  return Object.fromEntries(
    VARIANT_PRICE_KEYS.flatMap((key) => (prices[key] === undefined ? [] : [[key, prices[key]]])),
  );
}

function saysTheSame(listed: string, old: string, decimals: number | null): boolean {
  if (isSamePrice(old, listed) || isRoundedPrice(listed, old)) return true;
  return decimals !== null && isNearestPrice(listed, old, decimals);
}

function generalPrice(key: PriceKey, prices: Prices): string | undefined {
  const general = GENERAL[key];
  return general === undefined ? undefined : (prices[general] ?? generalPrice(general, prices));
}

function mergedTiers(
  current: readonly PriceTier[],
  { tiers: listed, decimals }: ListedPricing,
  base: Prices,
): readonly PriceTier[] {
  if (listed.length === 0) return current;
  const merged = withoutSameBounds(listed).flatMap(({ aboveInputTokens: bound, prices }) => {
    const existing = tierAt(current, bound);
    const { aboveInputTokens, prices: before } = existing ?? { aboveInputTokens: bound, prices: {} as Prices };
    const all = withPrices({ ...base, ...before }, prices, { ...base, ...before }, decimals ?? null);
    const own = Object.entries(all).filter(
      ([key, price]) => before[key as PriceKey] !== undefined || base[key as PriceKey] !== price,
    );
    return own.length === 0 ? [] : [{ aboveInputTokens, prices: Object.fromEntries(own) }];
  });
  return withoutSameBounds(merged).toSorted((a, b) => a.aboveInputTokens - b.aboveInputTokens);
}

/** Returns the first tier of each bound, since a list may have both 32,000 and 32,768. */
function withoutSameBounds(tiers: readonly PriceTier[]): readonly PriceTier[] {
  const kept: PriceTier[] = [];
  for (const tier of tiers) {
    if (!kept.some((other) => isSameSize(other.aboveInputTokens, tier.aboveInputTokens))) kept.push(tier);
  }
  return kept;
}

function tierChanges(before: readonly PriceTier[], after: readonly PriceTier[]): FieldChange[] {
  const bounds = new Set([...before, ...after].map((tier) => tier.aboveInputTokens));
  const pricesOf = (tiers: readonly PriceTier[], bound: number): Prices =>
    tiers.find((tier) => tier.aboveInputTokens === bound)?.prices ?? {};
  return [...bounds]
    .sort((a, b) => a - b)
    .flatMap((bound) => priceChanges(pricesOf(before, bound), pricesOf(after, bound), ` above ${bound}`, null));
}

function priceChanges(before: Prices, after: Prices, suffix: string, absent: string | null): FieldChange[] {
  return PRICE_KEYS.filter((key) => before[key] !== after[key]).map((key) => ({
    field: key + suffix,
    from: before[key] ?? absent,
    to: after[key] ?? null,
  }));
}

/**
 * Returns whether two numbers of tokens are the same size written differently: 128,000 and 131,072 are both 128k, 1,000,000 and 1,048,576
 * both 1M, and "from 200,000" is "above 199,999".
 */
export function isSameSize(a: number, b: number): boolean {
  const [less, more] = a < b ? [a, b] : [b, a];
  if (more - less <= 1) return true;
  // A difference of one in the smaller number multiplies in the product.
  return Math.abs(less * 1024 - more * 1000) <= 1024 || Math.abs(less * 1024 ** 2 - more * 1000 ** 2) <= 1024 ** 2;
}
