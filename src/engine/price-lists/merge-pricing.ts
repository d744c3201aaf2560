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
import { isSameSize } from './token-size.ts';

export interface FieldChange {
  /** As the catalog's files name it: `input_per_1m`, `context`; `output_per_1m above 200000` for a tier's price. */
  readonly field: string;
  /** `null` where there was nothing, or is nothing any more. */
  readonly from: string | null;
  readonly to: string | null;
}

export interface MergedPricing {
  readonly pricing: ModelPricing;
  readonly fields: readonly FieldChange[];
  /** The list has prices by other pieces than the catalog: with both, a request would be charged twice. */
  readonly isMeasuredOtherwise: boolean;
}

/** Whose price is charged where there is none of its own; a list often says it again. */
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
 * The prices of the catalog with those that the list states. What the list does not state stays; its tiers take the
 * place of the catalog's, in which a tier of the same bound keeps what the list leaves out. Where prices change with
 * time, it is the period of `day` (`YYYY-MM-DD`, the list's) that changes, or the last one where there is no day.
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

/** The period that a list of `day` speaks of; `null` where there is no price, or none to be paid. */
export function listedPeriod(current: ModelPricing, day: string | null): PricePeriod | null {
  if (current === null || current === 'free') return null;
  const periods = pricePeriods(current);
  return periods[periodAt(periods, day)] ?? null;
}

/** The tier with that bound, or else one whose bound is another writing of it. */
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

/** Where a model is sold by the piece, only the prices that it has; where by tokens, those of every kind of token. */
function acceptedPrices(current: Prices, listed: Prices): Prices {
  const isByPiece = hasPiece(current);
  return Object.fromEntries(
    Object.entries(listed).filter(
      ([key]) => current[key as PriceKey] !== undefined || (!isByPiece && isTokenPrice(key)),
    ),
  );
}

/** Without those that only say again what is charged anyway. `decimals` are what the list rounds to. */
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

/** No list has them by the name of the model that they are of, so those that are known stay. */
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

/** Of bounds that are the same the first counts: a list may have both 32,000 and 32,768. */
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
