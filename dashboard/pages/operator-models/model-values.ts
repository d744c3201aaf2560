import type { DeclareModelRequest, ShownModel, UpdateModelRequest } from '../../api/schema.ts';
import { isObject, type JsonObject } from '../shared/json.ts';
import { PRICE_KEYS, type PriceKey } from '../shared/models/pricing.ts';
import { changedMembers, jsonSaid, numberSaid, said } from '../shared/written.ts';

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

export function valuesOf(id: string, layers: ShownModel['layers']): ModelValues {
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
    ...pricesFrom(stated.pricing),
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

function pricesFrom(pricing: unknown): Pick<ModelValues, 'mode' | 'prices' | 'pricing'> {
  const none = { prices: NO_PRICES, pricing: '' };
  if (pricing == null) return { mode: 'catalog', ...none };
  if (pricing === 'free' || pricing === 'unknown') return { mode: pricing, ...none };
  const json = JSON.stringify(pricing, null, 2);
  // Prices that have no field here are edited as in the configuration.
  const isPlain =
    isObject(pricing) && Object.keys(pricing).every((key) => (PRICE_KEYS as readonly string[]).includes(key));
  if (!isPlain) return { mode: 'json', prices: NO_PRICES, pricing: json };
  const prices = Object.fromEntries(Object.entries(pricing).map(([key, usd]) => [key, String(usd)]));
  return { mode: 'prices', prices: { ...NO_PRICES, ...prices }, pricing: json };
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

/** Returns only the changed members. */
export function changesOf(before: ModelValues, after: ModelValues): UpdateModelRequest {
  return changedMembers(wordsOf(before), wordsOf(after));
}

function pricingOf({ mode, prices, pricing }: ModelValues): unknown {
  if (mode === 'catalog') return null;
  if (mode === 'json') return jsonSaid(pricing);
  if (mode !== 'prices') return mode;
  return Object.fromEntries(
    Object.entries(prices).flatMap(([key, usd]) => (usd.trim() === '' ? [] : [[key, usd.trim()]])),
  );
}

function withoutNull(map: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(map).filter(([, value]) => value != null));
}
