import type { CatalogModel } from '../../../domain/catalog/catalog-model.ts';
import { suggestModels } from '../../../domain/catalog/suggest.ts';
import type { SyncedModel } from '../../../domain/catalog/synced-model.ts';
import { compareText } from '../../../domain/text/compare-text.ts';
import { didYouMean } from '../../../engine/admin/schema/closest.ts';
import { ModelFacts } from '../../../engine/directory/model-facts.ts';
import type { DirectoryRows } from '../../../engine/ports/directory-store.ts';
import type { ProviderManifest } from '../../../providers/manifest.ts';
import { CommandError } from '../command-error.ts';
import { printable } from '../table.ts';

export type KnownFrom = 'shipped' | 'synced';

type Providers = ReadonlyMap<string, ProviderManifest>;

/** The catalog as it is now, and where each line of it comes from. */
export class CatalogContents {
  readonly modelFacts: ModelFacts;
  private readonly shipped: ModelFacts;
  private readonly syncedByKey: ReadonlyMap<string, SyncedModel>;

  constructor(
    providers: Providers,
    readonly rows: DirectoryRows,
  ) {
    this.modelFacts = new ModelFacts(providers, rows.syncedModels);
    this.shipped = new ModelFacts(providers, []);
    this.syncedByKey = new Map(rows.syncedModels.map((row) => [`${row.provider} ${row.id}`, row]));
  }

  /** By provider and id. */
  models(): readonly CatalogModel[] {
    return [...this.modelFacts.models()].sort((a, b) => compareText(a.provider, b.provider) || compareText(a.id, b.id));
  }

  /** Both where a list has changed what is shipped. */
  knownFrom({ provider, id }: CatalogModel): readonly KnownFrom[] {
    const shipped: readonly KnownFrom[] = this.isShipped({ provider, id }) ? ['shipped'] : [];
    return this.synced({ provider, id }) === undefined ? shipped : [...shipped, 'synced'];
  }

  /** What lists have brought of a line. */
  synced({ provider, id }: { readonly provider: string; readonly id: string }): SyncedModel | undefined {
    return this.syncedByKey.get(`${provider} ${id}`);
  }

  /** Whether there is such a line, or such a public model. */
  has(id: string): boolean {
    return this.ids().has(id);
  }

  isShipped({ provider, id }: { readonly provider: string; readonly id: string }): boolean {
    return this.shipped.of(provider, id) !== undefined;
  }

  /** For an id that is neither in the catalog nor a public one. */
  unknownModel(id: string): CommandError {
    const near = suggestModels(id, [...this.ids()]).map((guess) => `"${guess}"`);
    const last = near.pop();
    const meant = near.length === 0 ? last : `${near.join(', ')} or ${last}`;
    const hint = last === undefined ? '' : ` (did you mean ${meant}?)`;
    return new CommandError(`there is no model "${printable(id.slice(0, 100))}"${hint}`);
  }

  private ids(): ReadonlySet<string> {
    const { models, channels } = this.rows;
    return new Set([
      ...[...this.modelFacts.models()].map((model) => model.id),
      ...models.map((model) => model.id),
      ...channels.flatMap((channel) => Object.keys(channel.models)),
    ]);
  }
}

/** Throws `CommandError` for a provider that the product does not know. */
export function checkProvider(providers: Providers, provider: string | undefined): void {
  if (provider === undefined || providers.has(provider)) return;
  const hint = didYouMean(provider, [...providers.keys()]);
  throw new CommandError(`--provider: there is no provider "${provider.slice(0, 100)}"${hint}`, 2);
}
