import type { Capabilities } from '../../domain/catalog/capabilities.ts';
import type { CatalogModel } from '../../domain/catalog/catalog-model.ts';
import type { ListedFacts, SyncedModel } from '../../domain/catalog/synced-model.ts';
import type { PriceSource } from '../../domain/money/pricing.ts';
import type { ProviderManifest } from '../../providers/manifest.ts';
import { ModelFacts } from '../directory/model-facts.ts';
import { CATALOG_ONLY, type DirectoryStore } from '../ports/directory-store.ts';
import { type CatalogChanges, type ChangedModel, changesBetween } from './catalog-changes.ts';
import type { PriceList, PriceListModel } from './price-list-model.ts';

export interface SyncRequest {
  readonly providers: ReadonlyMap<string, Pick<ProviderManifest, 'models' | 'discovery'>>;
  readonly list: PriceList;
  /** Whether models that the catalog does not have are added. */
  readonly includeNew: boolean;
  /** Whether only prices are changed, so that no models are added either. */
  readonly pricesOnly?: boolean;
  /** Where the list was read, and on which day. */
  readonly source: PriceSource & { readonly date: string };
}

export interface CatalogSync {
  readonly changes: CatalogChanges;
  /** A row for each model that is changed or added, with everything that lists have stated about it. */
  readonly rows: readonly SyncedModel[];
  /** Models whose price differs in the list, but stays because the catalog's is dated after the list. */
  readonly newerPrices: readonly CatalogModel[];
}

/** Selects synced facts; `null` does not restrict the selection. */
export interface SyncedSelection {
  readonly provider: string | null;
  readonly id: string | null;
}

/** Returns what the list would change in the catalog; `synced` is what earlier lists have added to it. */
export function planSync(synced: readonly SyncedModel[], request: SyncRequest): CatalogSync {
  const { providers, list, source } = request;
  const includeNew = request.includeNew && request.pricesOnly !== true;
  const modelFacts = new ModelFacts(providers, synced);
  const newerPrices: CatalogModel[] = [];
  const entries = list.entries.map((listed): PriceListModel => {
    const entry = request.pricesOnly === true ? pricesOf(listed) : listed;
    const known = modelFacts.of(entry.provider, entry.id);
    if (entry.pricing === undefined || !known || (known.priceSource?.date ?? '') <= source.date) return entry;
    if (changesPrice(known, entry, source)) newerPrices.push(known);
    const { pricing: _older, ...facts } = entry;
    return facts;
  });
  const changes = changesBetween([...modelFacts.models()], entries, { includeNew, source });
  const earlier = new Map(synced.map((row) => [keyOf(row), row]));
  const rows = [
    ...changes.changed.map((change) => changedRow(change, earlier.get(keyOf(change.model)), source)),
    ...changes.added.map((model) => addedRow(model, source)),
  ];
  return { changes, rows, newerPrices };
}

function changesPrice(model: CatalogModel, entry: PriceListModel, source: PriceSource): boolean {
  return changesBetween([model], [pricesOf(entry)], { includeNew: false, source }).changed.length > 0;
}

function pricesOf({ provider, id, pricing }: PriceListModel): PriceListModel {
  return { provider, id, ...(pricing === undefined ? {} : { pricing }) };
}

/**
 * Applies the changes of a list in one transaction, which first reads what other syncs have stored, so that nothing is lost. The same list
 * again changes nothing. `check` throws if the changes are not those that somebody has seen.
 */
export function syncCatalog(
  directory: DirectoryStore,
  request: SyncRequest,
  check: (sync: CatalogSync) => void = () => undefined,
): Promise<CatalogSync> {
  return directory.write(CATALOG_ONLY, (writer) => {
    const sync = planSync(writer.read().syncedModels, request);
    check(sync);
    for (const row of sync.rows) writer.putSyncedModel(row);
    return sync;
  });
}

/** Removes synced facts, and resolves to them. */
export function resetCatalog(directory: DirectoryStore, selection: SyncedSelection): Promise<readonly SyncedModel[]> {
  return directory.write(CATALOG_ONLY, (writer) => {
    const rows = selectSynced(writer.read().syncedModels, selection);
    for (const { provider, id } of rows) writer.deleteSyncedModel(provider, id);
    return rows;
  });
}

export function selectSynced(
  synced: readonly SyncedModel[],
  { provider, id }: SyncedSelection,
): readonly SyncedModel[] {
  return synced.filter((row) => (provider ?? row.provider) === row.provider && (id ?? row.id) === row.id);
}

/** Returns a row with the list's facts over those of an earlier sync. The row's source is that of its price; other facts have none. */
function changedRow(
  { before, model }: ChangedModel,
  earlier: SyncedModel | undefined,
  source: PriceSource,
): SyncedModel {
  const { provider, id, releasedAtMs } = model;
  // `changesBetween` keeps an unchanged pricing as the same object.
  const pricing = model.pricing === before.pricing ? null : model.pricing;
  const capabilities = { ...earlier?.facts.capabilities, ...differing(before.capabilities, model.capabilities) };
  const facts: ListedFacts = {
    ...earlier?.facts,
    ...(releasedAtMs === null || releasedAtMs === before.releasedAtMs ? {} : { releasedAtMs }),
    ...(pricing === null ? {} : { pricing }),
    ...(Object.keys(capabilities).length === 0 ? {} : { capabilities }),
  };
  const keepsPrice = pricing === null && earlier?.facts.pricing !== undefined;
  return { provider, id, facts, source: keepsPrice ? earlier.source : source };
}

function differing(before: Capabilities, after: Capabilities): Partial<Capabilities> {
  const names = Object.keys(after) as (keyof Capabilities)[];
  return Object.fromEntries(names.filter((name) => after[name] !== before[name]).map((name) => [name, after[name]]));
}

function addedRow(model: CatalogModel, source: PriceSource): SyncedModel {
  const { provider, id, name, category, ownedBy, releasedAtMs, pricing, capabilities } = model;
  const facts: ListedFacts = {
    name,
    category,
    ownedBy,
    ...(releasedAtMs === null ? {} : { releasedAtMs }),
    ...(pricing === null ? {} : { pricing }),
    capabilities,
  };
  return { provider, id, facts, source };
}

/** Returns a key for the model; neither part contains a space. */
function keyOf({ provider, id }: { readonly provider: string; readonly id: string }): string {
  return `${provider} ${id}`;
}
