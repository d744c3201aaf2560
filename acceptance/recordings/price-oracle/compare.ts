import { billableOf } from '../../../src/domain/exchange/usage.ts';
import { type PricePart, priceParts } from '../../../src/domain/money/applied-prices.ts';
import { PriceSheet } from '../../../src/domain/money/price-sheet.ts';
import type { Prices } from '../../../src/domain/money/pricing.ts';
import type { Billable } from '../../../src/domain/money/quantity.ts';
import { nanoUsd } from './amounts.ts';
import { decodeUsage, formatOf } from './decode.ts';
import { type OracleEntry, OracleModels, type OraclePrice, oracleEntries } from './oracle.ts';
import { pricingOf } from './pricing.ts';

/** The oracle's results are from the summer of 2026. */
const ASKED_AT_MS = Date.UTC(2026, 7, 1);
/** Anthropic's price per search. The oracle includes it, but the price file has no member for it. */
const PER_WEB_SEARCH = '0.01';

/** One usage object, priced for one provider. */
export interface Comparison {
  readonly entry: OracleEntry;
  readonly provider: string;
  readonly api: string;
  /** In nano-USD; `null` if no price is known. */
  readonly ours: bigint | null;
  readonly oracle: bigint;
  /** Returns the cost of the same usage by another price list. */
  reprice(prices: Prices): bigint | null;
  /** Returns the parts of the charge as in the request's story. */
  parts(): readonly PricePart[];
}

export interface Outcome {
  readonly entries: number;
  /** Entries without any oracle price: the model is unnamed, or no provider has it. */
  readonly unpriced: number;
  readonly comparisons: readonly Comparison[];
  /** Keyed by reason. */
  readonly notCompared: ReadonlyMap<string, number>;
}

/** Decodes and prices every entry that the oracle has priced. */
export function compareAll(): Outcome {
  const entries = oracleEntries();
  const models = new OracleModels();
  const comparisons: Comparison[] = [];
  const notCompared = new Map<string, number>();
  let unpriced = 0;
  for (const entry of entries) {
    const priced = entry.extracted
      .flatMap(({ extractors }) => extractors)
      .filter((one) => one.input_price !== undefined);
    if (priced.length === 0) unpriced++;
    for (const price of priced) {
      const found = compare(entry, price, models);
      if (typeof found !== 'string') comparisons.push(found);
      else notCompared.set(found, (notCompared.get(found) ?? 0) + 1);
    }
  }
  return { entries: entries.length, unpriced, comparisons, notCompared };
}

/** Returns the comparison, or the reason why there is none. */
function compare(entry: OracleEntry, price: OraclePrice, models: OracleModels): Comparison | string {
  const { provider_id: provider, api_flavor: api, total_price: total } = price;
  const format = formatOf(provider, api);
  if (format === null) return `${api}: the product does not have this API`;
  const model = entry.model === undefined ? undefined : models.find(provider, entry.model);
  if (model === undefined) return `${provider}: the file has no price of ${entry.model}, which the oracle knew`;
  const usage = decodeUsage(entry, format, provider);
  if (usage === null) throw new Error(`${entry.body.file} has no usage for ${format}, and ${provider} prices it`);
  // Adds the price of searches only where the oracle charged them.
  const more = total === undefined ? {} : { per_web_search: PER_WEB_SEARCH };
  const sheet = PriceSheet.parse(pricingOf(model, more));
  return {
    entry,
    provider,
    api,
    parts: () => partsOf(sheet, billableOf(usage)),
    ours: sheet?.costNanoUsd(billableOf(usage), ASKED_AT_MS) ?? null,
    oracle: nanoUsd(total === undefined ? [price.input_price, price.output_price] : [total]),
    reprice: (prices) => PriceSheet.parse(prices)?.costNanoUsd(billableOf(usage), ASKED_AT_MS) ?? null,
  };
}

/** Returns the parts of the charge, from the recorded prices. */
function partsOf(sheet: PriceSheet | null, billable: Billable): readonly PricePart[] {
  const tariff = sheet?.tariffFor(billable, ASKED_AT_MS);
  if (tariff === undefined) return [];
  return priceParts(billable, tariff.appliedTo(billable), tariff.costNanoUsd(billable));
}
