import type { CatalogModel } from '../../../domain/catalog/catalog-model.ts';
import { suggestModels } from '../../../domain/catalog/suggest.ts';
import type { SyncedModel } from '../../../domain/catalog/synced-model.ts';
import { compareText } from '../../../domain/text/compare-text.ts';
import { ModelFacts } from '../../directory/model-facts.ts';
import type { ServingRows } from '../../ports/directory-store.ts';
import { AdminError } from '../admin-error.ts';
import type { Providers } from '../schema/providers.ts';

export type KnownFrom = 'shipped' | 'synced';

/** The catalog as it is now, and where each line of it comes from. */
export class CatalogContents {
  readonly modelFacts: ModelFacts;
  private readonly shipped: ModelFacts;
  private readonly syncedByKey: ReadonlyMap<string, SyncedModel>;

  constructor(
    providers: Providers,
    readonly rows: ServingRows,
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
  unknownModel(id: string): AdminError {
    const near = suggestModels(id, [...this.ids()]).map((guess) => `"${guess}"`);
    const last = near.pop();
    const meant = near.length === 0 ? last : `${near.join(', ')} or ${last}`;
    const hint = last === undefined ? '' : ` (did you mean ${meant}?)`;
    return new AdminError('not_found', 'model', `there is no model "${id.slice(0, 100)}"${hint}`);
  }

  /** The ids that channels serve, enabled or not, or that are declared; sorted. */
  publicIds(): readonly string[] {
    const { models, channels } = this.rows;
    const ids = new Set([
      ...models.map((model) => model.id),
      ...channels.flatMap((channel) => Object.keys(channel.models)),
    ]);
    return [...ids].sort(compareText);
  }

  /** The product's own line, before what lists have brought. */
  shippedModel({ provider, id }: { readonly provider: string; readonly id: string }): CatalogModel | undefined {
    return this.shipped.of(provider, id);
  }

  private ids(): ReadonlySet<string> {
    return new Set([...[...this.modelFacts.models()].map((model) => model.id), ...this.publicIds()]);
  }
}
