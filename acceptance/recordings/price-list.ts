import { readFileSync } from 'node:fs';
import path from 'node:path';
import { sharedFolder } from '../../conformance/shared/recordings.ts';
import type { CatalogModel } from '../../src/domain/catalog/catalog-model.ts';
import { type PriceKey, type PricePeriod, pricePeriods } from '../../src/domain/money/pricing.ts';

/*
 * A public price list, kept beside the project: data in the shape of pydantic's `genai-prices`. The oracle in
 * acceptance/recordings/price-oracle asks the same list for the cost of requests; here only prices per token are read.
 */

const pricesFile = path.join(sharedFolder, 'workloads', 'model-prices.json');

type Match = Readonly<Partial<Record<'equals' | 'starts_with' | 'ends_with' | 'contains' | 'regex', string>>> & {
  readonly or?: readonly Match[];
  readonly and?: readonly Match[];
};

interface Tiered {
  readonly base: number;
  readonly tiers: readonly { readonly start: number; readonly price: number }[];
}

type ListPrices = Readonly<Record<string, number | Tiered>>;

export interface PriceList {
  readonly id: string;
  readonly models: readonly {
    readonly match: Match;
    readonly prices:
      | ListPrices
      | readonly { readonly constraint?: { readonly start_date?: string }; readonly prices: ListPrices }[];
  }[];
}

/** The list's names for the prices that both have. */
const NAMES: Readonly<Record<string, PriceKey>> = {
  input_mtok: 'input_per_1m',
  cache_read_mtok: 'cached_input_per_1m',
  cache_write_mtok: 'cache_write_per_1m',
  output_mtok: 'output_per_1m',
  input_audio_mtok: 'audio_input_per_1m',
  output_audio_mtok: 'audio_output_per_1m',
};

/** Keyed by provider. */
export function priceLists(): ReadonlyMap<string, PriceList> {
  const lists = JSON.parse(readFileSync(pricesFile, 'utf8')) as readonly PriceList[];
  return new Map(lists.map((list) => [list.id, list]));
}

/**
 * Returns where the model's prices differ from the list's on the day ours were read: `input_per_1m`, or `input_per_1m above 200000`. A
 * price that one of the two lacks is no difference, except for our length tiers where the list has a single price.
 */
export function differences(model: CatalogModel, list: PriceList): readonly string[] {
  const { pricing, priceSource } = model;
  const row = list.models.find(({ match }) => matches(match, model.id));
  if (row === undefined || pricing === null) return [];
  const day = priceSource?.date ?? '';
  const theirs = tableOf(pricesAt(row.prices, day));
  if (pricing === 'free') return [...theirs].filter(([, price]) => price > 0).map(([place]) => place);
  const ours = tableOfPeriod(periodAt(pricePeriods(pricing), Date.parse(day)));
  const ownTiers = [...ours.keys()].filter((place) => place.includes(ABOVE) && theirs.has(place.split(ABOVE)[0] ?? ''));
  return [...new Set([...theirs.keys(), ...ownTiers])].filter((place) => ours.get(place) !== theirs.get(place));
}

const ABOVE = ' above ';

function pricesAt(prices: PriceList['models'][number]['prices'], day: string): ListPrices {
  if (!Array.isArray(prices)) return prices as ListPrices;
  return prices.findLast(({ constraint }) => (constraint?.start_date ?? (constraint ? '9' : '')) <= day)?.prices ?? {};
}

function periodAt(periods: readonly PricePeriod[], timeMs: number): PricePeriod | undefined {
  return periods.findLast(({ effectiveFromMs }) => effectiveFromMs === null || effectiveFromMs <= timeMs);
}

function tableOf(prices: ListPrices): ReadonlyMap<string, number> {
  const table = new Map<string, number>();
  for (const [theirName, price] of Object.entries(prices)) {
    const name = NAMES[theirName];
    if (name === undefined) continue;
    table.set(name, typeof price === 'number' ? price : price.base);
    if (typeof price === 'number') continue;
    for (const tier of price.tiers) table.set(name + ABOVE + tier.start, tier.price);
  }
  return table;
}

function tableOfPeriod(period: PricePeriod | undefined): ReadonlyMap<string, number> {
  const table = new Map<string, number>();
  for (const [name, price] of Object.entries(period?.prices ?? {})) table.set(name, Number(price));
  for (const tier of period?.tiers ?? []) {
    for (const [name, price] of Object.entries(tier.prices)) {
      table.set(name + ABOVE + tier.aboveInputTokens, Number(price));
    }
  }
  return table;
}

function matches(match: Match, model: string): boolean {
  if (match.or !== undefined) return match.or.some((one) => matches(one, model));
  if (match.and !== undefined) return match.and.every((one) => matches(one, model));
  if (match.equals !== undefined) return model === match.equals;
  if (match.starts_with !== undefined) return model.startsWith(match.starts_with);
  if (match.ends_with !== undefined) return model.endsWith(match.ends_with);
  if (match.contains !== undefined) return model.includes(match.contains);
  return new RegExp(match.regex ?? '(?!)').test(model);
}
