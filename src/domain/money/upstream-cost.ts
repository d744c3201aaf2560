import type { AppliedPrices } from './applied-prices.ts';
import { drawnOf } from './drawn.ts';
import { PriceSheet } from './price-sheet.ts';
import type { ModelPricing } from './pricing.ts';
import { amountOf, type Billable } from './quantity.ts';
import { NO_SURCHARGE, ONE_FACTOR } from './surcharge.ts';

/** Sheets of the costs that channels state, which are parsed once. They are garbage-collected with their channels. */
const parsed = new WeakMap<object, PriceSheet | null>();

interface BilledRequest {
  /** `null` if the request names none. */
  readonly modelId: string | null;
  readonly billable: Billable;
  /** When it was priced, in milliseconds since 1970. */
  readonly atMs: number;
  /** The prices at which the account was charged, whose service tier and searches also count upstream. */
  readonly applied: AppliedPrices | null;
}

/**
 * Returns what the provider charges the operator for a request, in nano-USD: the usage at the channel's costs by model. `null` if they have
 * no price for the model, or for a part of the request.
 */
export function upstreamCostOf(
  costs: Readonly<Record<string, ModelPricing>>,
  { modelId, billable, atMs, applied }: BilledRequest,
): bigint | null {
  if (modelId === null || !Object.hasOwn(costs, modelId)) return null;
  const sheet = sheetOf(costs[modelId] ?? null);
  if (sheet === null) return null;
  if (sheet.isFree) return 0n;
  // The image model behind a provider's tool has no costs here.
  if (drawnOf(billable).quantities.length > 0) return null;
  const tariff = sheet.tariffFor(billable, atMs);
  const { tokenFactor, webSearches = 0 } = applied ?? {};
  const hasSearches = webSearches > 0 || amountOf(billable, 'web_search') > 0;
  if (hasSearches && tariff.appliedTo(billable).prices.web_search === undefined) return null;
  return tariff.costNanoUsd(billable, {
    ...NO_SURCHARGE,
    tokenFactor: tokenFactor === undefined ? ONE_FACTOR : BigInt(tokenFactor),
    leastWebSearches: webSearches,
  });
}

function sheetOf(pricing: ModelPricing): PriceSheet | null {
  if (pricing === null || pricing === 'free') return PriceSheet.parse(pricing);
  const known = parsed.get(pricing);
  if (known !== undefined) return known;
  const sheet = PriceSheet.parse(pricing);
  parsed.set(pricing, sheet);
  return sheet;
}
