import { isObject, type JsonObject } from '../json.ts';

/** The prices of a model in order: per million tokens, or per unit of something else. */
export const PRICE_KEYS = [
  'input_per_1m',
  'output_per_1m',
  'cached_input_per_1m',
  'cache_write_per_1m',
  'cache_write_1h_per_1m',
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

/** The members with prices by variant, and the prices that they refine. */
export const VARIANTS = {
  per_image_variants: 'per_image',
  per_second_variants: 'per_second',
  per_clip_variants: 'per_clip',
} as const;

export interface PriceLine {
  readonly key: PriceKey;
  /** A decimal text in USD. */
  readonly usd: string;
  /** Such as `1024x1024/high`. */
  readonly variant?: string;
  /** Applies to prompts with more tokens than this. */
  readonly above?: number;
}

/** Returns the current prices; `null` if unknown. */
export function currentPrices(pricing: unknown, nowMs: number): 'free' | JsonObject | null {
  if (pricing === 'free') return 'free';
  if (isObject(pricing)) return pricing;
  if (!Array.isArray(pricing)) return null;
  const begun = pricing
    .filter(isObject)
    .filter(({ effective_from: from }) => typeof from !== 'string' || Date.parse(from) <= nowMs);
  return begun.at(-1) ?? null;
}

/** Returns one line per current price; none if free or unknown. */
export function priceLines(pricing: unknown, nowMs: number): readonly PriceLine[] {
  const prices = currentPrices(pricing, nowMs);
  if (prices === null || prices === 'free') return [];
  const tiers = Array.isArray(prices.tiers) ? prices.tiers.filter(isObject) : [];
  return [
    ...linesOf(prices),
    ...tiers.flatMap((tier) => linesOf(tier).map((line) => ({ ...line, above: Number(tier.above_input_tokens) }))),
  ];
}

function linesOf(prices: JsonObject): PriceLine[] {
  const plain = PRICE_KEYS.flatMap((key) => {
    const usd = prices[key];
    return typeof usd === 'string' ? [{ key, usd }] : [];
  });
  const varied = Object.entries(VARIANTS).flatMap(([member, key]) => {
    const map = prices[member];
    return isObject(map) ? Object.entries(map).map(([variant, usd]) => ({ key, usd: String(usd), variant })) : [];
  });
  return [...plain, ...varied];
}

/** Returns a price for sorting; `null` if unknown. */
export function priceOf(pricing: unknown, key: PriceKey, nowMs: number): number | null {
  const prices = currentPrices(pricing, nowMs);
  if (prices === 'free') return 0;
  const usd = prices?.[key];
  return typeof usd === 'string' ? Number(usd) : null;
}
