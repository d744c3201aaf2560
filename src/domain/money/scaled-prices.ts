import { PRICE_DECIMALS, priceOfUnits, unitsOfPrice } from './nano-usd.ts';
import { PriceSheet } from './price-sheet.ts';
import { type ModelPricing, type PricePeriod, type Prices, pricePeriods } from './pricing.ts';

/** Scaled sheets by percentage. They are garbage-collected with the sheets that they were made from. */
const scaled = new WeakMap<PriceSheet, Map<number, PriceSheet>>();

/**
 * Returns the sheet with a percentage of all prices, for work that is sold at a discount. Reservations, charges and breakdowns that use it
 * agree with each other, since they see ordinary prices. A price with more than 16 decimals is rounded half up to 18.
 *
 * @param percent a whole number, 0 or more
 */
export function scaledSheet(sheet: PriceSheet, percent: number): PriceSheet {
  if (percent === 100 || sheet.isFree) return sheet;
  let known = scaled.get(sheet);
  if (known === undefined) {
    known = new Map();
    scaled.set(sheet, known);
  }
  const made = known.get(percent) ?? PriceSheet.parse(scaledPricing(sheet.pricing, percent));
  // Every scaled price is a decimal with at most 18 places again.
  if (made === null) throw new Error('scaled prices could not be parsed');
  known.set(percent, made);
  return made;
}

/** Returns the price with a percentage of its amount. */
export function scaledPrice(price: string, percent: number): string {
  return priceOfUnits((unitsOfPrice(price) * BigInt(percent) + 50n) / 100n, PRICE_DECIMALS);
}

function scaledPricing(pricing: Exclude<ModelPricing, null>, percent: number): ModelPricing {
  if (pricing === 'free') return pricing;
  return pricePeriods(pricing).map(
    ({ effectiveFromMs, prices, tiers }): PricePeriod => ({
      effectiveFromMs,
      prices: scaledPrices(prices, percent),
      tiers: tiers.map((tier) => ({ ...tier, prices: scaledPrices(tier.prices, percent) })),
    }),
  );
}

function scaledPrices(prices: Prices, percent: number): Prices {
  const texts = Object.entries(prices).map(([key, value]) => [
    key,
    typeof value === 'string'
      ? scaledPrice(value, percent)
      : Object.fromEntries(Object.entries(value).map(([variant, price]) => [variant, scaledPrice(price, percent)])),
  ]);
  // The keys and the kinds of values are those of `prices`.
  return Object.fromEntries(texts) as Prices;
}
