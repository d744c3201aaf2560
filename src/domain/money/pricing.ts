/** Units that may have a price: a million tokens of a kind, or one of something else. */
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
 * resolution and length. A variant without a price has that of its longest priced prefix (`1024x1024` for `1024x1024/high`),
 * otherwise the general price (`per_image`, `per_second`, `per_clip`), otherwise that of the most expensive variant. An unpriced
 * size, resolution or length never costs less than a smaller one with a price.
 */
export const VARIANT_PRICE_KEYS = ['per_image_variants', 'per_second_variants', 'per_clip_variants'] as const;
export type VariantPriceKey = (typeof VARIANT_PRICE_KEYS)[number];

/** Prices by variant, such as `1024x1024/high`. */
export type VariantPrices = Readonly<Record<string, string>>;

/** Decimal strings in USD, exactly as the operator wrote them. */
export type Prices = Readonly<Partial<Record<PriceKey, string> & Record<VariantPriceKey, VariantPrices>>>;

export interface PriceTier {
  /** The tier applies to all tokens of a request whose prompt has more tokens than this. */
  readonly aboveInputTokens: number;
  /** The prices that differ from the period's. */
  readonly prices: Prices;
}

/** The prices from one moment until the next period. */
export interface PricePeriod {
  /** Milliseconds since 1970; `null` for the initial prices. */
  readonly effectiveFromMs: number | null;
  readonly prices: Prices;
  /** Ascending, without repeated bounds. */
  readonly tiers: readonly PriceTier[];
}

/** `null` means that no price is known, `free` that it costs nothing. Periods are ascending, and there is at least one. */
export type ModelPricing = Prices | readonly PricePeriod[] | 'free' | null;

/** Returns the periods; prices that always apply, for prompts of every length, are a single period. */
export function pricePeriods(pricing: Prices | readonly PricePeriod[]): readonly PricePeriod[] {
  return isPeriods(pricing) ? pricing : [{ effectiveFromMs: null, prices: pricing, tiers: [] }];
}

function isPeriods(pricing: Prices | readonly PricePeriod[]): pricing is readonly PricePeriod[] {
  return Array.isArray(pricing);
}

/** Where and when a price was read. */
export interface PriceSource {
  /** The page or list; `null` for a price that an operator has set. */
  readonly url: string | null;
  /** The day on which it was read, as `YYYY-MM-DD`. */
  readonly date: string | null;
}
