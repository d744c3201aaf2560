import type { CatalogModel } from '../../../domain/catalog/catalog-model.ts';
import type { ModelCategory } from '../../../domain/catalog/category.ts';
import { byPriority, type Channel } from '../../../domain/catalog/channel.ts';
import type { DeclaredModel, Model, ModelStatus } from '../../../domain/catalog/model.ts';
import type { ModelOperation } from '../../../domain/catalog/model-operation.ts';
import { tagsOf } from '../../../domain/catalog/model-tags.ts';
import { resolveModel } from '../../../domain/catalog/resolve-model.ts';
import type { SyncedModel } from '../../../domain/catalog/synced-model.ts';
import { Slices, type Turns } from '../../../domain/concurrency/slices.ts';
import { entryOf } from '../../../formats/shared/json/record.ts';
import type { Providers } from '../../../providers/manifest.ts';
import type { ModelFacts } from '../../directory/model-facts.ts';
import { withFactsOf } from '../../directory/virtual-models.ts';
import { type DirectoryStore, SERVING_ONLY } from '../../ports/directory-store.ts';
import { CatalogContents, type KnownFrom } from '../catalog/read-catalog.ts';
import { sameValue } from '../differences.ts';
import { limitOf, type Page, type PageRequest, pageOf, placeAfter } from '../page.ts';
import { cacheOverrideFields } from '../schema/cache-section.ts';
import { pricingFields } from '../schema/fields.ts';
import { capabilityFields, modelFields } from '../schema/model.ts';
import { rulesFields } from '../schema/model-rules.ts';
import { isoTime, managedBy } from '../view-fields.ts';

export interface ServingChannel {
  readonly channel: Channel;
  readonly publicId: string;
  readonly upstreamModel: string;
}

export interface ShownModel {
  /** The model with the facts in force. */
  readonly model: Model;
  readonly declared: DeclaredModel | null;
  /** The line of the catalog behind the model. */
  readonly known: CatalogModel | null;
  readonly knownFrom: readonly KnownFrom[];
  /** The line that the product was shipped with. */
  readonly shipped: CatalogModel | null;
  /** The facts from price lists. */
  readonly synced: SyncedModel | null;
  /** The lines of other providers with the same id. */
  readonly alsoAt: readonly CatalogModel[];
  readonly channels: readonly ServingChannel[];
}

/** A public model with the facts in force. */
interface ListedModel {
  readonly model: Model;
  readonly declared: DeclaredModel | null;
  /** The channels that serve it, enabled or not. */
  readonly channels: readonly Channel[];
  readonly synced: SyncedModel | null;
}

interface ListMeans {
  readonly store: DirectoryStore;
  readonly providers: Providers;
  readonly turns: Turns;
}

const SANDBOX_PROVIDER = 'sandbox';

/** How many ids are read at once: at first, and at most if a filter accepts few of them. */
const FIRST_IDS = 1_000;
const MOST_IDS = 16_000;

/**
 * Resolves to a page of the public models by id, including hidden ones: those that channels serve, or that are declared. Throws
 * `AdminError` for an invalid page.
 */
export async function listModels(
  { store, providers, turns }: ListMeans,
  { limit: most, after: place, ...filter }: PageRequest & ModelFilter,
): Promise<Page<ListedModel>> {
  const limit = limitOf({ limit: most });
  const contents = new CatalogContents(providers, await store.read(SERVING_ONLY));
  const slices = new Slices(turns);
  const wanted: ListedModel[] = [];
  let [after = null] = placeAfter({ after: place }, 1) ?? [];
  for (let count = FIRST_IDS; wanted.length <= limit; count = Math.min(2 * count, MOST_IDS)) {
    const ids = await contents.idsAfter(after, count, slices);
    for (const id of ids) {
      const listed = listedModel(contents, id);
      if (matchesFilter(filter, listed)) wanted.push(listed);
      if (wanted.length > limit) break;
      const pause = slices.next();
      if (pause !== null) await pause;
    }
    if (ids.length < count) break;
    after = ids.at(-1) ?? null;
  }
  return pageOf(wanted, limit, ({ model }) => [model.id]);
}

function listedModel(contents: CatalogContents, id: string): ListedModel {
  const { modelFacts, rows } = contents;
  const declared = rows.models.find((model) => model.id === id) ?? null;
  const channels = rows.channels.filter(({ models }) => Object.hasOwn(models, id));
  const first = describing(channels);
  const known = knownBehind(modelFacts, id, first);
  const synced = (known && contents.synced(known)) ?? null;
  return { model: factsInForce(contents, id, declared, channels), declared, channels, synced };
}

/** Returns a public model with the facts in force. A virtual model without channels has those of the models that its rules lead to. */
function factsInForce(
  contents: CatalogContents,
  id: string,
  declared: DeclaredModel | null,
  channels: readonly Channel[],
): Model {
  const model = contents.modelFacts.resolve(id, describing(channels), declared ?? undefined);
  if (declared === null || declared.rules === null || channels.length > 0) return model;
  const ends = contents.virtual?.endsOf(id).filter((end) => end !== id && contents.has(end)) ?? [];
  return withFactsOf(
    model,
    declared,
    ends.map((end) => listedModel(contents, end).model),
  );
}

/** Returns the line of the catalog behind a public model: that of this channel's provider, else that of the model's maker. */
function knownBehind(modelFacts: ModelFacts, id: string, first: Channel | null): CatalogModel | null {
  const served = first && modelFacts.of(first.provider, entryOf(first.models, id) ?? id);
  return served ?? modelFacts.model(id) ?? null;
}

/**
 * Returns the channel that determines the model's facts, and so its prices, as in routing: the first one by priority and id, enabled or
 * not. Shared channels come before those of accounts.
 */
function describing(channels: readonly Channel[]): Channel | null {
  const inOrder = [...channels].sort(byPriority);
  return inOrder.find(({ owner }) => owner === null) ?? inOrder[0] ?? null;
}

/** Resolves to a public model with everything known of it. Throws an `AdminError` that names the nearest ids if there is no such model. */
export async function showModel(store: DirectoryStore, providers: Providers, id: string): Promise<ShownModel> {
  return shownModel(new CatalogContents(providers, await store.read(SERVING_ONLY)), id, null);
}

/**
 * Returns a public model, or a line of the catalog, with everything known of it: as this provider serves it, else as the first channel
 * does, else as its maker does. Throws an `AdminError` that names the nearest ids if the id is unknown.
 */
export function shownModel(contents: CatalogContents, id: string, provider: string | null): ShownModel {
  if (!contents.has(id)) throw contents.unknownModel(id);
  const { modelFacts, rows } = contents;
  const declared = rows.models.find((model) => model.id === id) ?? null;
  const channels = rows.channels.filter(({ models }) => Object.hasOwn(models, id));
  const first = describing(channels);
  const others = contents.models().filter((model) => model.id === id);
  const asked = provider === null ? undefined : modelFacts.of(provider, id);
  if (asked !== undefined) {
    const model = resolveModel(id, { declared: declared ?? undefined, known: asked, provider });
    return { model, declared, known: asked, ...surroundings(contents, id, asked, others) };
  }
  const model = factsInForce(contents, id, declared, channels);
  const known = knownBehind(modelFacts, id, first);
  return { model, declared, known, ...surroundings(contents, id, known, others) };
}

function surroundings(
  contents: CatalogContents,
  id: string,
  known: CatalogModel | null,
  others: readonly CatalogModel[],
): Pick<ShownModel, 'knownFrom' | 'shipped' | 'synced' | 'alsoAt' | 'channels'> {
  return {
    knownFrom: known === null ? [] : contents.knownFrom(known),
    shipped: (known && contents.shippedModel(known)) ?? null,
    synced: (known && contents.synced(known)) ?? null,
    alsoAt: others.filter((other) => other.provider !== known?.provider),
    channels: channelsFor(contents, id, known),
  };
}

/** Returns the channels that serve the public id, and those that serve the same line of the catalog under another id. */
function channelsFor({ rows }: CatalogContents, id: string, known: CatalogModel | null): readonly ServingChannel[] {
  return rows.channels.flatMap((channel) =>
    Object.entries(channel.models)
      .filter(
        ([publicId, upstreamModel]) =>
          publicId === id || (channel.provider === known?.provider && upstreamModel === known.id),
      )
      .map(([publicId, upstreamModel]) => ({ channel, publicId, upstreamModel })),
  );
}

/** A filter for models: all given conditions must hold. */
export interface ModelFilter {
  readonly status?: ModelStatus | undefined;
  readonly category?: ModelCategory | undefined;
  /** The provider of a channel that serves the model. */
  readonly provider?: string | undefined;
  readonly owned_by?: string | undefined;
  /** A part of its id or name; case is ignored. */
  readonly q?: string | undefined;
  readonly operation?: ModelOperation | undefined;
  /** A feature, or an input or output modality. */
  readonly capability?: string | undefined;
  /** Whether anything is declared for the model. */
  readonly declared?: boolean | undefined;
}

interface FilteredModel {
  readonly model: Model;
  readonly declared: DeclaredModel | null;
  readonly channels: readonly Pick<Channel, 'provider'>[];
}

export function matchesFilter(filter: ModelFilter, { model, declared, channels }: FilteredModel): boolean {
  const { status, category, provider, owned_by: ownedBy, operation, capability, q } = filter;
  const part = q?.toLowerCase();
  return (
    (status === undefined || model.status === status) &&
    (category === undefined || model.category === category) &&
    (provider === undefined || channels.some((channel) => channel.provider === provider)) &&
    (ownedBy === undefined || model.ownedBy === ownedBy) &&
    (operation === undefined || model.operations.includes(operation)) &&
    (capability === undefined || capabilitiesOf(model).includes(capability)) &&
    (part === undefined || [model.id, model.name].some((text) => text.toLowerCase().includes(part))) &&
    (filter.declared === undefined || (declared !== null) === filter.declared)
  );
}

function capabilitiesOf({ capabilities }: Model): readonly string[] {
  return capabilities === null ? [] : [...capabilities.features, ...capabilities.input, ...capabilities.output];
}

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
    pricing: pricingFields(model.pricing),
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
type PriceLayer = (typeof PRICE_LAYERS)[number];

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
    fallbacks: model.fallbacks ?? [],
    guards: model.guards ?? [],
    search: model.search ?? null,
    batch_price_percent: model.batchPricePercent ?? null,
    cache: model.cache && cacheOverrideFields(model.cache),
    rules: rulesFields(model.rules ?? null),
    origin: declared?.origin ?? null,
    managed_by: declared && managedBy(declared.origin),
    channels: channels.map(({ id }) => id),
    sandbox: isOfSandbox(channels),
  };
}

/** Returns whether only the built-in sandbox serves a model. */
function isOfSandbox(channels: readonly Pick<Channel, 'provider'>[]): boolean {
  return channels.length > 0 && channels.every(({ provider }) => provider === SANDBOX_PROVIDER);
}

/**
 * Returns a public model with all layers of what is known of it (shipped with the product, supplied by a public list, declared by a
 * configuration or an operator), and the facts in force.
 */
export function shownModelView(shown: ShownModel) {
  const { model, declared, known, shipped, synced } = shown;
  const stated = declared && statedFields(modelFields(declared));
  return {
    ...modelFactsView(model),
    released: dayOrNull(known?.releasedAtMs ?? null),
    status: model.status,
    strategy: model.strategy,
    cache: model.cache && cacheOverrideFields(model.cache),
    rules: rulesFields(model.rules ?? null),
    price_layer: priceLayer(shown),
    managed_by: declared && managedBy(declared.origin),
    yours: declared && {
      origin: declared.origin,
      managed_by: managedBy(declared.origin),
      fields: fieldsOf(stated ?? {}),
    },
    catalog: known && { ...catalogModelView(known), from: shown.knownFrom, synced: synced?.source ?? null },
    layers: { shipped: shipped && catalogModelView(shipped), synced: synced && syncedView(synced), stated },
    also_known_of: shown.alsoAt.map(({ provider, pricing }) => ({ provider, pricing: pricingFields(pricing) })),
    sandbox: isOfSandbox(shown.channels.map(({ channel }) => channel)),
    channels: shown.channels.map(({ channel, publicId, upstreamModel }) => ({
      id: channel.id,
      name: channel.name,
      provider: channel.provider,
      model: publicId,
      upstream_model: upstreamModel,
      enabled: channel.enabled,
    })),
  };
}

/** Returns only what is declared, in the form of a configuration. */
function statedFields({ id: _id, ...fields }: ReturnType<typeof modelFields>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

/** Returns the names of the declared fields, with each capability by its own name. */
function fieldsOf({ capabilities, ...fields }: Readonly<Record<string, unknown>>): readonly string[] {
  return [...Object.keys(fields), ...Object.keys(capabilities ?? {})];
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
      ...(pricing === undefined ? {} : { pricing: pricingFields(pricing) }),
      ...(capabilities === undefined ? {} : { capabilities: capabilityFields(capabilities) }),
    },
  };
}
