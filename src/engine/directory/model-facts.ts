import type { CatalogModel } from '../../domain/catalog/catalog-model.ts';
import type { Channel } from '../../domain/catalog/channel.ts';
import type { DeclaredModel, Model } from '../../domain/catalog/model.ts';
import { resolveModel } from '../../domain/catalog/resolve-model.ts';
import { type SyncedModel, withListedFacts } from '../../domain/catalog/synced-model.ts';
import { entryOf } from '../../formats/shared/json/record.ts';
import type { ProviderManifest } from '../../providers/manifest.ts';
import type { ServingRows } from '../ports/directory-store.ts';
import { GuardsInForce } from './guards-in-force.ts';
import { VirtualModels } from './virtual-models.ts';

type Providers = ReadonlyMap<string, Pick<ProviderManifest, 'models' | 'discovery'>>;

const NO_MODELS: ReadonlyMap<string, CatalogModel> = new Map();

/** The product's knowledge of models: the lists of the manifests, updated with facts from public price lists. */
export class ModelFacts {
  /** The models by provider, then by the provider's id; those of a provider are made on first use. */
  private readonly byProvider = new Map<string, ReadonlyMap<string, CatalogModel>>();
  private readonly synced: ReadonlyMap<string, readonly SyncedModel[]>;
  /** The models by id alone; made on first use. */
  private byId: ReadonlyMap<string, CatalogModel> | null = null;

  constructor(
    private readonly providers: Providers,
    synced: readonly SyncedModel[],
  ) {
    this.synced = Map.groupBy(synced, ({ provider }) => provider);
  }

  /** Returns the model as this provider serves it. */
  of(provider: string, id: string): CatalogModel | undefined {
    return this.servedBy(provider).get(id);
  }

  /** Returns the model with this id: from its maker if several providers have it, else from the first of them. */
  model(id: string): CatalogModel | undefined {
    this.byId ??= this.indexed();
    return this.byId.get(id);
  }

  /** Returns a public model as a channel serves it, or as it is declared without one. */
  resolve(publicId: string, channel: Pick<Channel, 'provider' | 'models'> | null, declared?: DeclaredModel): Model {
    const asServed = channel && this.of(channel.provider, entryOf(channel.models, publicId) ?? publicId);
    const listed = asServed ?? this.model(publicId);
    // A self-hosted model has no list price.
    const isOwnMachine = channel !== null && this.providers.get(channel.provider)?.discovery !== undefined;
    const known = listed && isOwnMachine ? { ...listed, pricing: null, priceSource: null } : listed;
    return resolveModel(publicId, { declared, known, provider: channel?.provider ?? null });
  }

  /** Returns the models of one provider, its own before those from price lists. */
  modelsOf(provider: string): readonly CatalogModel[] {
    return [...this.servedBy(provider).values()];
  }

  /** Yields all models, by provider. */
  *models(): Iterable<CatalogModel> {
    for (const provider of this.providers.keys()) yield* this.servedBy(provider).values();
  }

  private servedBy(provider: string): ReadonlyMap<string, CatalogModel> {
    const made = this.byProvider.get(provider);
    if (made !== undefined) return made;
    const manifest = this.providers.get(provider);
    if (manifest === undefined) return NO_MODELS;
    const models = new Map((manifest.models?.() ?? []).map((model) => [model.id, model]));
    for (const line of this.synced.get(provider) ?? []) models.set(line.id, withListedFacts(models.get(line.id), line));
    this.byProvider.set(provider, models);
    return models;
  }

  private indexed(): Map<string, CatalogModel> {
    const index = new Map<string, CatalogModel>();
    for (const provider of this.providers.keys()) {
      for (const model of this.servedBy(provider).values()) {
        if (!index.has(model.id) || model.ownedBy === provider) index.set(model.id, model);
      }
    }
    return index;
  }
}

/** The known facts and operators' declarations about models, independent of the channels that serve them. */
export class ModelCatalog {
  readonly facts: ModelFacts;
  /** The declared models by public id. */
  readonly declared: ReadonlyMap<string, DeclaredModel>;
  /** `null` if no model has rules. */
  readonly virtual: VirtualModels | null;

  /** `null` if there are no guards, and no model names one. */
  readonly guards: GuardsInForce | null;
  /** Whether a model has a search model of its own. */
  readonly hasSearchModels: boolean;

  constructor(
    providers: ReadonlyMap<string, ProviderManifest>,
    rows: Pick<ServingRows, 'models' | 'syncedModels' | 'guards'>,
  ) {
    this.facts = new ModelFacts(providers, rows.syncedModels);
    this.declared = new Map(rows.models.map((model) => [model.id, model]));
    this.virtual = VirtualModels.among(rows.models);
    this.guards = GuardsInForce.among(rows.guards ?? [], rows.models);
    this.hasSearchModels = rows.models.some(({ search = 'none' }) => search !== 'none');
  }

  /** Returns the declared models that one of these channels names, whether the channel is in use or not. */
  namedBy(channels: readonly Pick<Channel, 'models'>[]): readonly string[] {
    const named: string[] = [];
    for (const id of this.declared.keys()) {
      if (channels.some(({ models }) => Object.hasOwn(models, id))) named.push(id);
    }
    return named;
  }
}
