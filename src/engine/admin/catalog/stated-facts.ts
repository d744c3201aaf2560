import type { Capabilities } from '../../../domain/catalog/capabilities.ts';
import { type PricePeriod, type Prices, pricePeriods } from '../../../domain/money/pricing.ts';

/** The names of capabilities in changes and configurations. */
export const CAPABILITIES: Readonly<Record<keyof Capabilities, string>> = {
  input: 'input',
  output: 'output',
  features: 'features',
  contextTokens: 'context',
  maxOutputTokens: 'max_output',
  dimensions: 'dimensions',
};

/** Returns the current price period, or the first one if none has begun. */
export function periodAt(pricing: Prices | readonly PricePeriod[], nowMs: number): PricePeriod {
  const periods = pricePeriods(pricing);
  const current = periods.findLast(({ effectiveFromMs }) => (effectiveFromMs ?? 0) <= nowMs) ?? periods[0];
  return current ?? { effectiveFromMs: null, prices: {}, tiers: [] };
}
