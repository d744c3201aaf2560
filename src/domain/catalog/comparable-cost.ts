import { parseNanoUsd } from '../money/nano-usd.ts';
import { type ModelPricing, type PriceKey, type Prices, pricePeriods, type VariantPriceKey } from '../money/pricing.ts';

/**
 * How much of each unit is compared, in quarters: a million tokens of which three in four are input (the ratio that price
 * comparisons in the field usually assume), taken as a thousand requests of a thousand tokens, each with one image, one
 * second or one clip where those are what is charged, at four characters a token. The assumptions matter only between channels that
 * charge one model in different units.
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

/** In nano-USD, at a moment in milliseconds since 1970. */
export type ComparableCost = (atMs: number) => bigint | null;

/**
 * What a channel costs, as a number for ordering channels and for nothing else; `null` where no price is known. A unit without a
 * price costs nothing: an embedding model has no output. If prices depend on the length of the prompt, those of the shortest
 * prompts count.
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

/** The price of variants without a price of their own. */
function dearest(prices: readonly string[]): bigint | null {
  return prices.map(wholeNanoUsd).reduce((most, price) => (most === null || (price ?? 0n) > most ? price : most), null);
}

/** Prices may have more than nine decimals (per character, say); they do not matter for the order. */
function wholeNanoUsd(price: string): bigint | null {
  const parsed = parseNanoUsd(price.replace(/(\.\d{9})\d+$/, '$1'));
  return parsed.ok ? parsed.amountNanoUsd : null;
}
