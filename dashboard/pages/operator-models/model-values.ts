import type { DeclareModelRequest, ShownModel, UpdateModelRequest } from '../../api/schema.ts';
import { isObject, type JsonObject } from '../shared/json.ts';
import { type ShownUnit, shownPrice, shownUnit, storedPrice } from '../shared/models/price-units.ts';
import { currentPrices, PRICE_KEYS, type PriceKey } from '../shared/models/pricing.ts';
import { changedMembers, jsonSaid, numberSaid, said } from '../shared/written.ts';
import { type CacheValues, cacheFrom, cacheSaid } from './cache-values.ts';
import { neededPrices, priceChange } from './price-change.ts';
import { type RulesValues, rulesFrom, rulesSaid } from './rule-values.ts';

export type PriceMode = 'catalog' | 'prices' | 'free' | 'unknown' | 'json';

/** A model's overrides in their form; empty values keep the catalog's. */
export interface ModelValues {
  id: string;
  status: string;
  name: string;
  description: string;
  category: string;
  owned_by: string;
  mode: PriceMode;
  /** In the units that people compare (`unitOf`). */
  prices: Record<PriceKey, string>;
  /** Whether the price of a second is written per minute. */
  per_minute: boolean;
  /** JSON. */
  pricing: string;
  input: string[];
  output: string[];
  features: string[];
  context: string;
  max_output: string;
  dimensions: string;
  operations: string[];
  tags: string[];
  fallbacks: string[];
  search: string;
  guards: string[];
  batch_price_percent: string;
  strategy: string;
  rules: RulesValues;
  cache: CacheValues;
}

const NO_PRICES = Object.fromEntries(PRICE_KEYS.map((key) => [key, ''])) as Record<PriceKey, string>;

type KnownModel = Pick<ShownModel, 'layers' | 'pricing'> & Partial<Pick<ShownModel, 'category'>>;

/** Returns the form's values for a model; `undefined` for a new one. */
export function valuesOf(id: string, model: KnownModel | undefined): ModelValues {
  const { layers, pricing, category } = model ?? {};
  const stated: JsonObject = layers?.stated ?? {};
  const capabilities = isObject(stated.capabilities) ? stated.capabilities : {};
  const text = (value: unknown) => (value == null ? '' : String(value));
  const list = (value: unknown) => (Array.isArray(value) ? value.map(String) : []);
  return {
    id,
    status: text(stated.status),
    name: text(stated.name),
    description: text(stated.description),
    category: text(stated.category),
    owned_by: text(stated.owned_by),
    ...pricesFrom(stated.pricing, pricing, category),
    ...{ input: list(capabilities.input), output: list(capabilities.output), features: list(capabilities.features) },
    ...{
      context: text(capabilities.context),
      max_output: text(capabilities.max_output),
      dimensions: text(capabilities.dimensions),
    },
    operations: list(stated.operations),
    tags: list(stated.tags),
    fallbacks: list(stated.fallbacks),
    search: text(stated.search),
    guards: list(stated.guards),
    batch_price_percent: text(stated.batch_price_percent),
    strategy: text(stated.strategy),
    rules: rulesFrom(stated.rules),
    cache: cacheFrom(stated.cache),
  };
}

/** The fields always hold the prices in force, so that a change of one of them is not a loss of the others. */
function pricesFrom(
  stated: unknown,
  inForce: unknown,
  category: string | undefined,
): Pick<ModelValues, 'mode' | 'prices' | 'per_minute' | 'pricing'> {
  const mode = stated == null ? 'catalog' : stated === 'free' || stated === 'unknown' ? stated : 'prices';
  const per_minute = isPerMinute(category);
  const current = currentPrices(inForce, Date.now());
  const prices = isObject(current)
    ? Object.fromEntries(
        PRICE_KEYS.flatMap((key) =>
          current[key] === undefined ? [] : [[key, shownPrice(String(current[key]), unitOf(key, { per_minute }))]],
        ),
      )
    : {};
  const json = isObject(inForce) || Array.isArray(inForce) ? JSON.stringify(inForce, null, 2) : '';
  return { mode, prices: { ...NO_PRICES, ...prices }, per_minute, pricing: json };
}

function isPerMinute(category: string | undefined): boolean {
  return shownUnit('per_second', category) === 'per_minute';
}

/** Returns the unit in which the form has a price. */
export function unitOf(key: PriceKey, values: Pick<ModelValues, 'per_minute'>): ShownUnit {
  return key === 'per_second' && values.per_minute ? 'per_minute' : shownUnit(key);
}

/** Returns the price of a second and its unit after a change of the category, without a change of what it costs. */
export function inUnitOf(
  category: string,
  { prices, per_minute }: Pick<ModelValues, 'prices' | 'per_minute'>,
): { readonly per_minute: boolean; readonly per_second: string } {
  const after = { per_minute: isPerMinute(category) };
  const stored = storedPrice(prices.per_second, unitOf('per_second', { per_minute }));
  return { ...after, per_second: shownPrice(stored, unitOf('per_second', after)) };
}

/**
 * Returns all values in the API's form; `null` keeps the catalog's value.
 *
 * @param before the values that the form began with: a price that was not edited is sent as it is stored
 */
function wordsOf(values: ModelValues, before: ModelValues): UpdateModelRequest {
  const some = (list: readonly string[]) => (list.length === 0 ? null : list);
  const capabilities = withoutNull({
    ...{ input: some(values.input), output: some(values.output), features: some(values.features) },
    ...{
      context: numberSaid(values.context),
      max_output: numberSaid(values.max_output),
      dimensions: numberSaid(values.dimensions),
    },
  });
  return {
    ...{ status: said(values.status), name: said(values.name), description: said(values.description) },
    ...{ category: said(values.category), owned_by: said(values.owned_by), pricing: pricingOf(values, before) },
    capabilities: Object.keys(capabilities).length === 0 ? null : capabilities,
    ...{ operations: some(values.operations), tags: some(values.tags), strategy: said(values.strategy) },
    rules: rulesSaid(values.rules),
    fallbacks: some(values.fallbacks),
    search: said(values.search),
    guards: some(values.guards),
    batch_price_percent: numberSaid(values.batch_price_percent),
    cache: cacheSaid(values.cache),
  } as UpdateModelRequest;
}

export function declarationOf(values: ModelValues): DeclareModelRequest {
  return { id: values.id.trim(), ...withoutNull(wordsOf(values, values)) } as DeclareModelRequest;
}

/** Returns only the changed members; of the prices, only the changed ones, and `null` for those that are removed. */
export function changesOf(before: ModelValues, after: ModelValues): UpdateModelRequest {
  const { pricing: _before, ...old } = wordsOf(before, before);
  const { pricing, ...changed } = wordsOf(after, before);
  const members = changedMembers(old, changed);
  const change = pricingChange(before, after, pricing);
  return (change === undefined ? members : { ...members, pricing: change }) as UpdateModelRequest;
}

/** Returns what is sent as `pricing`; undefined if nothing has changed. */
function pricingChange(before: ModelValues, after: ModelValues, pricing: unknown): unknown {
  if (!hasOwnPrices(after)) return after.mode === before.mode ? undefined : pricing;
  const inForce = after.mode === 'prices' ? plainPrices(before, before) : jsonSaid(before.pricing);
  // A map would be merged into one of the periods.
  if (after.mode === 'json' && Array.isArray(inForce) && isObject(pricing)) return [pricing];
  return priceChange(inForce, pricing);
}

function hasOwnPrices({ mode }: ModelValues): boolean {
  return mode === 'prices' || mode === 'json';
}

/** Returns the fields of the form that the category needs and that are empty; none if the other prices are enough. */
export function missingPrices(before: ModelValues, after: ModelValues, category: string): readonly PriceKey[] {
  if (after.mode !== 'prices') return [];
  return neededPrices(category, keptAndWritten(before, after));
}

/** Returns the prices that would be in force after saving; undefined if the form does not know them. */
export function pricesAfter(before: ModelValues, after: ModelValues, catalog: unknown): unknown {
  if (after.mode === 'prices') return keptAndWritten(before, after);
  return after.mode === 'catalog' ? catalog : pricingOf(after, before);
}

/** Returns the prices of the fields, and those that have no field and stay. */
function keptAndWritten(before: ModelValues, after: ModelValues): JsonObject {
  const others = Object.entries(storedPrices(before)).filter(
    ([key]) => !(PRICE_KEYS as readonly string[]).includes(key),
  );
  return { ...Object.fromEntries(others), ...plainPrices(after, before) };
}

function pricingOf(values: ModelValues, before: ModelValues): unknown {
  const { mode, pricing } = values;
  if (mode === 'catalog') return null;
  if (mode === 'json') return jsonSaid(pricing);
  return mode === 'prices' ? plainPrices(values, before) : mode;
}

/** Returns the prices of the fields in the units in which they are stored. */
function plainPrices(values: ModelValues, before: ModelValues): JsonObject {
  const stored = storedPrices(before);
  return Object.fromEntries(
    PRICE_KEYS.flatMap((key) => {
      const typed = values.prices[key].trim();
      if (typed === '') return [];
      const [unit, unitBefore] = [unitOf(key, values), unitOf(key, before)];
      const isKept = typed === before.prices[key].trim() && unit === unitBefore && stored[key] !== undefined;
      return [[key, isKept ? stored[key] : storedPrice(typed, unit)]];
    }),
  );
}

/** Returns the prices in force, as they are stored. */
function storedPrices(before: ModelValues): JsonObject {
  const current = currentPrices(jsonSaid(before.pricing), Date.now());
  return isObject(current) ? current : {};
}

function withoutNull(map: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(map).filter(([, value]) => value != null));
}
