/** What may have a price: a million tokens of a kind, or one of something else. */
export const PRICE_KEYS = [
  'input_per_1m',
  'cached_input_per_1m',
  'cache_write_per_1m',
  'cache_write_1h_per_1m',
  'output_per_1m',
  'reasoning_per_1m',
  'audio_input_per_1m',
  'audio_output_per_1m',
  'image_input_per_1m',
  'image_output_per_1m',
  'per_image',
  'per_second',
  'per_clip',
  'per_character',
  'per_request',
  'per_web_search',
] as const;
export type PriceKey = (typeof PRICE_KEYS)[number];

/**
 * Prices that differ by variant (`Quantity.variant`): of images by size and quality, of a second by resolution, of a clip by
 * resolution and length. A variant without one has that of its longest beginning that has one (`1024x1024/high` that of
 * `1024x1024`), else the general price (`per_image`, `per_second`, `per_clip`), else the most expensive variant. A size, a resolution
 * and a length without one never cost less than a smaller one that has one.
 */
export const VARIANT_PRICE_KEYS = ['per_image_variants', 'per_second_variants', 'per_clip_variants'] as const;
export type VariantPriceKey = (typeof VARIANT_PRICE_KEYS)[number];

/** By variant, such as `1024x1024/high`. */
export type VariantPrices = Readonly<Record<string, string>>;

/** Decimal strings in USD, exactly as the operator wrote them. */
export type Prices = Readonly<Partial<Record<PriceKey, string> & Record<VariantPriceKey, VariantPrices>>>;

export interface PriceTier {
  /** The tier holds for all tokens of a request whose prompt has more tokens than this. */
  readonly aboveInputTokens: number;
  /** Those that differ from the period's. */
  readonly prices: Prices;
}

/** What holds from one moment until the next period's. */
export interface PricePeriod {
  /** In milliseconds since 1970; `null` for the prices that hold before any other. */
  readonly effectiveFromMs: number | null;
  readonly prices: Prices;
  /** Ascending, no bound twice. */
  readonly tiers: readonly PriceTier[];
}

/** `null` means that no price is known, `free` that it costs nothing. Periods ascend, and there is at least one. */
export type ModelPricing = Prices | readonly PricePeriod[] | 'free' | null;

/** Prices that hold always and for prompts of every length are one such period. */
export function pricePeriods(pricing: Prices | readonly PricePeriod[]): readonly PricePeriod[] {
  return isPeriods(pricing) ? pricing : [{ effectiveFromMs: null, prices: pricing, tiers: [] }];
}

function isPeriods(pricing: Prices | readonly PricePeriod[]): pricing is readonly PricePeriod[] {
  return Array.isArray(pricing);
}
