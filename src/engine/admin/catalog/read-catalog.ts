import type { CatalogModel } from '../../../domain/catalog/catalog-model.ts';
import { suggestModels } from '../../../domain/catalog/suggest.ts';
import type { SyncedModel } from '../../../domain/catalog/synced-model.ts';
import type { Slices } from '../../../domain/concurrency/slices.ts';
import { compareText, SmallestTexts } from '../../../domain/text/compare-text.ts';
import type { Providers } from '../../../providers/manifest.ts';
import { ModelFacts } from '../../directory/model-facts.ts';
import { VirtualModels } from '../../directory/virtual-models.ts';
import type { ServingRows } from '../../ports/directory-store.ts';
import { AdminError } from '../admin-error.ts';

export type KnownFrom = 'shipped' | 'synced';

/** The catalog as it is now, and where each of its lines comes from. */
export class CatalogContents {
  readonly modelFacts: ModelFacts;
  /** The models with rules; `null` if there are none. */
  readonly virtual: VirtualModels | null;
  private readonly shipped: ModelFacts;
  private readonly syncedByKey: ReadonlyMap<string, SyncedModel>;

  constructor(
    providers: Providers,
    readonly rows: ServingRows,
  ) {
    this.modelFacts = new ModelFacts(providers, rows.syncedModels);
    this.virtual = VirtualModels.among(rows.models);
    this.shipped = new ModelFacts(providers, []);
    this.syncedByKey = new Map(rows.syncedModels.map((row) => [`${row.provider} ${row.id}`, row]));
  }

  /** Returns the models sorted by provider and id. */
  models(): readonly CatalogModel[] {
    return [...this.modelFacts.models()].sort((a, b) => compareText(a.provider, b.provider) || compareText(a.id, b.id));
  }

  /** Returns both sources if a list has changed what was shipped. */
  knownFrom({ provider, id }: CatalogModel): readonly KnownFrom[] {
    const shipped: readonly KnownFrom[] = this.isShipped({ provider, id }) ? ['shipped'] : [];
    return this.synced({ provider, id }) === undefined ? shipped : [...shipped, 'synced'];
  }

  /** Returns what lists have added to a line. */
  synced({ provider, id }: { readonly provider: string; readonly id: string }): SyncedModel | undefined {
    return this.syncedByKey.get(`${provider} ${id}`);
  }

  /** Returns whether the catalog has this id, or it is a public model. */
  has(id: string): boolean {
    const { models, channels } = this.rows;
    if (this.modelFacts.model(id) !== undefined || models.some((model) => model.id === id)) return true;
    return channels.some((channel) => Object.hasOwn(channel.models, id));
  }

  isShipped({ provider, id }: { readonly provider: string; readonly id: string }): boolean {
    return this.shipped.of(provider, id) !== undefined;
  }

  /** Returns the error for an id that is neither in the catalog nor a public model. */
  unknownModel(id: string): AdminError {
    const near = suggestModels(id, [...this.ids()]).map((guess) => `"${guess}"`);
    const last = near.pop();
    const meant = near.length === 0 ? last : `${near.join(', ')} or ${last}`;
    const hint = last === undefined ? '' : ` (did you mean ${meant}?)`;
    return new AdminError('not_found', 'model', `there is no model "${id.slice(0, 100)}"${hint}`);
  }

  /**
   * Resolves to the first public ids after this one, in order: those that channels serve, enabled or not, or that are declared. Accounts
   * may have any number of them, so they are never all sorted together.
   */
  async idsAfter(after: string | null, count: number, slices: Slices): Promise<readonly string[]> {
    const { models, channels } = this.rows;
    const first = new SmallestTexts(after, count);
    for (const { id } of models) first.add(id);
    for (const channel of channels) {
      for (const id of Object.keys(channel.models)) first.add(id);
      const pause = slices.next();
      if (pause !== null) await pause;
    }
    return first.sorted();
  }

  /** Returns the line that the product was shipped with, without what lists have changed. */
  shippedModel({ provider, id }: { readonly provider: string; readonly id: string }): CatalogModel | undefined {
    return this.shipped.of(provider, id);
  }

  /** Returns the known ids, without those that only channels of accounts serve. */
  private ids(): ReadonlySet<string> {
    const { models, channels } = this.rows;
    return new Set([
      ...[...this.modelFacts.models()].map((model) => model.id),
      ...models.map((model) => model.id),
      ...channels.flatMap(({ owner, models: served }) => (owner === null ? Object.keys(served) : [])),
    ]);
  }
}
