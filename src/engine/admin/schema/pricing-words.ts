import { type ModelPricing, pricePeriods } from '../../../domain/money/pricing.ts';
import { isoTime } from './iso-time.ts';

/** Returns prices as a configuration writes them. */
export function pricingWords(pricing: ModelPricing): unknown {
  if (pricing === null || pricing === 'free') return pricing;
  const periods = pricePeriods(pricing).map(({ effectiveFromMs, prices, tiers }) => ({
    ...(effectiveFromMs === null ? {} : { effective_from: isoTime(effectiveFromMs) }),
    ...prices,
    ...(tiers.length === 0
      ? {}
      : { tiers: tiers.map((tier) => ({ above_input_tokens: tier.aboveInputTokens, ...tier.prices })) }),
  }));
  return Array.isArray(pricing) ? periods : periods[0];
}
