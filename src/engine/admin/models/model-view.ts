import type { CatalogModel } from '../../../domain/catalog/catalog-model.ts';
import type { Model } from '../../../domain/catalog/model.ts';
import type { SyncedModel } from '../../../domain/catalog/synced-model.ts';
import { tagsOf } from '../../../domain/catalog/tags-of.ts';
import { sameValue } from '../same-value.ts';
import { cacheOverridesWords } from '../schema/cache-section.ts';
import { isoTime } from '../schema/iso-time.ts';
import { capabilityWords, modelWords } from '../schema/model.ts';
import { pricingWords } from '../schema/pricing-words.ts';
import { managedBy } from '../view-fields.ts';
import type { ListedModel, ShownModel } from './read-models.ts';

/** Returns what a line of the catalog and a public model have in common, as JSON. */
export function modelFactsView(model: Omit<CatalogModel, 'provider' | 'releasedAtMs' | 'listedAtMs'> | Model) {
  const { capabilities } = model;
  return {
    id: model.id,
    name: model.name,
    description: model.description,
    category: model.category,
    tags: tagsOf(model),
    owned_by: model.ownedBy,
    operations: model.operations,
    capabilities: capabilities && {
      input: capabilities.input,
      output: capabilities.output,
      features: capabilities.features,
      context_tokens: capabilities.contextTokens,
      max_output_tokens: capabilities.maxOutputTokens,
      dimensions: capabilities.dimensions,
    },
    pricing: pricingWords(model.pricing),
    price_source: model.priceSource,
  };
}

/** Returns a line of the catalog as JSON. */
export function catalogModelView(model: CatalogModel) {
  return { provider: model.provider, ...modelFactsView(model), released: dayOrNull(model.releasedAtMs) };
}

/** Returns a day such as `2026-01-31`. */
export function dayOrNull(timeMs: number | null): string | null {
  return timeMs === null ? null : isoTime(timeMs).slice(0, 10);
}

export const PRICE_LAYERS = ['shipped', 'synced', 'stated'] as const;
export type PriceLayer = (typeof PRICE_LAYERS)[number];

/** Returns where the price in force comes from, or `null` if no price is known. */
function priceLayer({
  model,
  declared,
  synced,
}: Pick<ListedModel, 'model' | 'declared' | 'synced'>): PriceLayer | null {
  if (model.pricing === null) return null;
  if (declared !== null && declared.pricing !== null) return 'stated';
  // The newer of the two prices applies.
  const isSynced = synced?.facts.pricing != null && sameValue(model.priceSource, synced.source);
  return isSynced ? 'synced' : 'shipped';
}

/** Returns a public model with the facts in force, as JSON. Prices are decimal text in USD. */
export function listedModelView(listed: ListedModel) {
  const { model, declared, channels } = listed;
  return {
    ...modelFactsView(model),
    price_layer: priceLayer(listed),
    status: model.status,
    strategy: model.strategy,
    cache: model.cache && cacheOverridesWords(model.cache),
    origin: declared?.origin ?? null,
    managed_by: declared && managedBy(declared.origin),
    channels: channels.map(({ id }) => id),
  };
}

/**
 * Returns a public model with all layers of what is known of it (shipped with the product, supplied by a public list, declared by a
 * configuration or an operator), and the facts in force.
 */
export function shownModelView(shown: ShownModel) {
  const { model, declared, known, shipped, synced } = shown;
  const stated = declared && statedWords(modelWords(declared));
  return {
    ...modelFactsView(model),
    released: dayOrNull(known?.releasedAtMs ?? null),
    status: model.status,
    strategy: model.strategy,
    cache: model.cache && cacheOverridesWords(model.cache),
    price_layer: priceLayer(shown),
    managed_by: declared && managedBy(declared.origin),
    yours: declared && {
      origin: declared.origin,
      managed_by: managedBy(declared.origin),
      fields: fieldsOf(stated ?? {}),
    },
    catalog: known && { ...catalogModelView(known), from: shown.knownFrom, synced: synced?.source ?? null },
    layers: { shipped: shipped && catalogModelView(shipped), synced: synced && syncedView(synced), stated },
    also_known_of: shown.alsoAt.map(({ provider, pricing }) => ({ provider, pricing: pricingWords(pricing) })),
    channels: shown.channels.map(({ channel, publicId, upstreamModel }) => ({
      id: channel.id,
      provider: channel.provider,
      model: publicId,
      upstream_model: upstreamModel,
      enabled: channel.enabled,
    })),
  };
}

/** Returns only what is declared, in the form of a configuration. */
function statedWords({ id: _id, ...words }: ReturnType<typeof modelWords>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(words).filter(([, value]) => value !== null));
}

/** Returns the names of the declared fields, with each capability by its own name. */
function fieldsOf({ capabilities, ...words }: Readonly<Record<string, unknown>>): readonly string[] {
  return [...Object.keys(words), ...Object.keys(capabilities ?? {})];
}

function syncedView({ facts, source }: SyncedModel) {
  const { name, category, ownedBy, releasedAtMs, pricing, capabilities } = facts;
  return {
    source,
    facts: {
      ...(name === undefined ? {} : { name }),
      ...(category === undefined ? {} : { category }),
      ...(ownedBy === undefined ? {} : { owned_by: ownedBy }),
      ...(releasedAtMs === undefined ? {} : { released: dayOrNull(releasedAtMs) }),
      ...(pricing === undefined ? {} : { pricing: pricingWords(pricing) }),
      ...(capabilities === undefined ? {} : { capabilities: capabilityWords(capabilities) }),
    },
  };
}
