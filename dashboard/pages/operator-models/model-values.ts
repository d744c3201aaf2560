import type { DeclareModelRequest, ShownModel, UpdateModelRequest } from '../../api/schema.ts';
import { isObject, type JsonObject } from '../shared/json.ts';
import { currentPrices, PRICE_KEYS, type PriceKey } from '../shared/models/pricing.ts';
import { changedMembers, jsonSaid, numberSaid, said } from '../shared/written.ts';
import { neededPrices, priceChange } from './price-change.ts';

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
  prices: Record<PriceKey, string>;
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
  strategy: string;
  /** JSON. */
  cache: string;
}

const NO_PRICES = Object.fromEntries(PRICE_KEYS.map((key) => [key, ''])) as Record<PriceKey, string>;

/** Returns the form's values for a model; `undefined` for a new one. */
export function valuesOf(id: string, model: Pick<ShownModel, 'layers' | 'pricing'> | undefined): ModelValues {
  const { layers, pricing } = model ?? {};
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
    ...pricesFrom(stated.pricing, pricing),
    ...{ input: list(capabilities.input), output: list(capabilities.output), features: list(capabilities.features) },
    ...{
      context: text(capabilities.context),
      max_output: text(capabilities.max_output),
      dimensions: text(capabilities.dimensions),
    },
    operations: list(stated.operations),
    tags: list(stated.tags),
    strategy: text(stated.strategy),
    cache: stated.cache == null ? '' : JSON.stringify(stated.cache, null, 2),
  };
}

/** The fields always hold the prices in force, so that a change of one of them is not a loss of the others. */
function pricesFrom(stated: unknown, inForce: unknown): Pick<ModelValues, 'mode' | 'prices' | 'pricing'> {
  const mode = stated == null ? 'catalog' : stated === 'free' || stated === 'unknown' ? stated : 'prices';
  const current = currentPrices(inForce, Date.now());
  const prices = isObject(current)
    ? Object.fromEntries(PRICE_KEYS.flatMap((key) => (current[key] === undefined ? [] : [[key, String(current[key])]])))
    : {};
  const json = isObject(inForce) || Array.isArray(inForce) ? JSON.stringify(inForce, null, 2) : '';
  return { mode, prices: { ...NO_PRICES, ...prices }, pricing: json };
}

/** Returns all values in the API's form; `null` keeps the catalog's value. */
export function wordsOf(values: ModelValues): UpdateModelRequest {
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
    ...{ category: said(values.category), owned_by: said(values.owned_by), pricing: pricingOf(values) },
    capabilities: Object.keys(capabilities).length === 0 ? null : capabilities,
    ...{ operations: some(values.operations), tags: some(values.tags), strategy: said(values.strategy) },
    cache: said(values.cache) === null ? null : jsonSaid(values.cache),
  } as UpdateModelRequest;
}

export function declarationOf(values: ModelValues): DeclareModelRequest {
  return { id: values.id.trim(), ...withoutNull(wordsOf(values)) } as DeclareModelRequest;
}

/** Returns only the changed members; of the prices, only the changed ones, and `null` for those that are removed. */
export function changesOf(before: ModelValues, after: ModelValues): UpdateModelRequest {
  const { pricing: _before, ...old } = wordsOf(before);
  const { pricing, ...changed } = wordsOf(after);
  const members = changedMembers(old, changed);
  const change = pricingChange(before, after, pricing);
  return (change === undefined ? members : { ...members, pricing: change }) as UpdateModelRequest;
}

/** Returns what is sent as `pricing`; undefined if nothing has changed. */
function pricingChange(before: ModelValues, after: ModelValues, pricing: unknown): unknown {
  if (!hasOwnPrices(after)) return after.mode === before.mode ? undefined : pricing;
  const inForce = after.mode === 'prices' ? plainPrices(before.prices) : jsonSaid(before.pricing);
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
  return after.mode === 'catalog' ? catalog : pricingOf(after);
}

/** Returns the prices of the fields, and those that have no field and stay. */
function keptAndWritten(before: ModelValues, after: ModelValues): JsonObject {
  const current = currentPrices(jsonSaid(before.pricing), Date.now());
  const others = isObject(current)
    ? Object.entries(current).filter(([key]) => !(PRICE_KEYS as readonly string[]).includes(key))
    : [];
  return { ...Object.fromEntries(others), ...plainPrices(after.prices) };
}

function pricingOf({ mode, prices, pricing }: ModelValues): unknown {
  if (mode === 'catalog') return null;
  if (mode === 'json') return jsonSaid(pricing);
  return mode === 'prices' ? plainPrices(prices) : mode;
}

function plainPrices(prices: Readonly<Record<string, string>>): JsonObject {
  return Object.fromEntries(
    Object.entries(prices).flatMap(([key, usd]) => (usd.trim() === '' ? [] : [[key, usd.trim()]])),
  );
}

function withoutNull(map: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(map).filter(([, value]) => value != null));
}
