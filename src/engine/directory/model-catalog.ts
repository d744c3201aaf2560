import type { Channel } from '../../domain/catalog/channel.ts';
import type { DeclaredModel } from '../../domain/catalog/model.ts';
import type { ProviderManifest } from '../../providers/manifest.ts';
import type { ServingRows } from '../ports/directory-store.ts';
import { ModelFacts } from './model-facts.ts';

/** What is known and stated of models, whoever serves them. */
export class ModelCatalog {
  readonly facts: ModelFacts;
  /** By public id. */
  readonly declared: ReadonlyMap<string, DeclaredModel>;

  constructor(providers: ReadonlyMap<string, ProviderManifest>, rows: Pick<ServingRows, 'models' | 'syncedModels'>) {
    this.facts = new ModelFacts(providers, rows.syncedModels);
    this.declared = new Map(rows.models.map((model) => [model.id, model]));
  }

  /** The declared models that one of these channels names, whether the channel is in use or not. */
  namedBy(channels: readonly Pick<Channel, 'models'>[]): readonly string[] {
    const named: string[] = [];
    for (const id of this.declared.keys()) {
      if (channels.some(({ models }) => Object.hasOwn(models, id))) named.push(id);
    }
    return named;
  }
}
