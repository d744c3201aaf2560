import type { CatalogModel } from '../../../domain/catalog/catalog-model.ts';
import type { Channel } from '../../../domain/catalog/channel.ts';
import { byPriority } from '../../../domain/catalog/channel-order.ts';
import type { DeclaredModel, Model } from '../../../domain/catalog/model.ts';
import { resolveModel } from '../../../domain/catalog/resolve-model.ts';
import type { SyncedModel } from '../../../domain/catalog/synced-model.ts';
import { Slices, type Turns } from '../../../domain/concurrency/slices.ts';
import { entryOf } from '../../../formats/shared/json/record.ts';
import type { ModelFacts } from '../../directory/model-facts.ts';
import { type DirectoryStore, SERVING_ONLY } from '../../ports/directory-store.ts';
import { CatalogContents, type KnownFrom } from '../catalog/read-catalog.ts';
import { limitOf, type Page, type PageRequest, pageOf, placeAfter } from '../page.ts';
import type { Providers } from '../schema/providers.ts';
import { type ModelFilter, matchesFilter } from './model-filter.ts';

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
export interface ListedModel {
  readonly model: Model;
  readonly declared: DeclaredModel | null;
  /** The channels that serve it, enabled or not. */
  readonly channels: readonly Channel[];
  readonly synced: SyncedModel | null;
}

export interface ListMeans {
  readonly store: DirectoryStore;
  readonly providers: Providers;
  readonly turns: Turns;
}

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
  return { model: modelFacts.resolve(id, first, declared ?? undefined), declared, channels, synced };
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
  const first = describing(rows.channels.filter(({ models }) => Object.hasOwn(models, id)));
  const others = contents.models().filter((model) => model.id === id);
  const asked = provider === null ? undefined : modelFacts.of(provider, id);
  if (asked !== undefined) {
    const model = resolveModel(id, { declared: declared ?? undefined, known: asked, provider });
    return { model, declared, known: asked, ...surroundings(contents, id, asked, others) };
  }
  const model = modelFacts.resolve(id, first, declared ?? undefined);
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
