import { parseNanoUsd } from '../money/nano-usd.ts';
import { type ModelPricing, type PriceKey, type Prices, pricePeriods, type VariantPriceKey } from '../money/pricing.ts';

/**
 * How much of each unit is compared, in quarters: a million tokens, three quarters of them input (the usual ratio in price
 * comparisons), taken as a thousand requests of a thousand tokens, each with one image, one second or one clip if these are
 * charged, at four characters per token. The assumptions matter only between channels that charge for one model in different
 * units.
 */
const QUARTERS: readonly (readonly [unit: PriceKey, quarters: bigint, variants?: VariantPriceKey])[] = [
  ['input_per_1m', 3n],
  ['output_per_1m', 1n],
  ['per_request', 4_000n],
  ['per_image', 4_000n, 'per_image_variants'],
  ['per_second', 4_000n, 'per_second_variants'],
  ['per_clip', 4_000n, 'per_clip_variants'],
  ['per_character', 16_000_000n],
];

/** Returns nano-USD, for a moment in milliseconds since 1970. */
export type ComparableCost = (atMs: number) => bigint | null;

/**
 * Returns the cost of a channel as a number that is only for ordering channels; `null` if no price is known. A unit without a
 * price counts as free, because an embedding model has no output. If prices depend on the length of the prompt, those of the
 * shortest prompts are used.
 */
export function comparableCost(pricing: ModelPricing | undefined): ComparableCost | null {
  if (pricing === undefined || pricing === null) return null;
  if (pricing === 'free') return () => 0n;
  const costs = pricePeriods(pricing).map(({ effectiveFromMs, prices }) => ({
    fromMs: effectiveFromMs ?? Number.NEGATIVE_INFINITY,
    cost: costOf(prices),
  }));
  if (costs.every(({ cost }) => cost === null)) return null;
  return (atMs) => (costs.findLast(({ fromMs }) => fromMs <= atMs) ?? costs[0])?.cost ?? null;
}

function costOf(prices: Prices): bigint | null {
  let cost: bigint | null = null;
  for (const [unit, quarters, variants] of QUARTERS) {
    const price = prices[unit];
    const ofVariants = variants === undefined ? undefined : prices[variants];
    const amountNanoUsd = price === undefined ? dearest(Object.values(ofVariants ?? {})) : wholeNanoUsd(price);
    if (amountNanoUsd !== null) cost = (cost ?? 0n) + amountNanoUsd * quarters;
  }
  return cost === null ? null : cost / 4n;
}

/** Returns the price for variants without their own price. */
function dearest(prices: readonly string[]): bigint | null {
  return prices.map(wholeNanoUsd).reduce((most, price) => (most === null || (price ?? 0n) > most ? price : most), null);
}

/** Drops decimals beyond the ninth (in a price per character, for example), which do not matter for the order. */
function wholeNanoUsd(price: string): bigint | null {
  const parsed = parseNanoUsd(price.replace(/(\.\d{9})\d+$/, '$1'));
  return parsed.ok ? parsed.amountNanoUsd : null;
}
