import { type ModelPricing, type PricePeriod, type Prices, type PriceTier, pricePeriods } from './pricing.ts';

/** The prices of a model at one moment. */
export interface CurrentPrices {
  readonly prices: Prices;
  /** Differences for longer prompts, ascending. */
  readonly tiers: readonly PriceTier[];
  /** When the next prices begin, in milliseconds since 1970; `null` if none are known. */
  readonly untilMs: number | null;
}

/** Returns the prices in force at `atMs` (milliseconds since 1970); before the first period, those of the first. */
export function currentPrices(pricing: Exclude<ModelPricing, 'free' | null>, atMs: number): CurrentPrices {
  const periods = pricePeriods(pricing);
  const index = Math.max(
    0,
    periods.findLastIndex((period) => startOf(period) <= atMs),
  );
  const current = periods[index];
  return {
    prices: current?.prices ?? {},
    tiers: current?.tiers ?? [],
    untilMs: periods[index + 1]?.effectiveFromMs ?? null,
  };
}

function startOf({ effectiveFromMs }: PricePeriod): number {
  return effectiveFromMs ?? Number.NEGATIVE_INFINITY;
}

/** The unit of a price: the contract's `pricing_unit`, whose values the contract does not show. */
export type PricingUnit =
  | 'per_request'
  | 'per_1m_tokens'
  | 'per_image'
  | 'per_second'
  | 'per_clip'
  | 'per_character'
  | 'per_web_search'
  | 'free';

/** Returns the unit of the most significant price; a model billed by tokens may have other prices as well. */
export function pricingUnit(prices: Prices | 'free'): PricingUnit | null {
  if (prices === 'free') return 'free';
  if (prices.per_request !== undefined) return 'per_request';
  if (Object.keys(prices).some((key) => key.endsWith('_per_1m'))) return 'per_1m_tokens';
  if ((prices.per_image ?? prices.per_image_variants) !== undefined) return 'per_image';
  if ((prices.per_second ?? prices.per_second_variants) !== undefined) return 'per_second';
  if ((prices.per_clip ?? prices.per_clip_variants) !== undefined) return 'per_clip';
  if (prices.per_character !== undefined) return 'per_character';
  return prices.per_web_search === undefined ? null : 'per_web_search';
}
