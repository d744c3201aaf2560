import type { Channel } from '../../domain/catalog/channel.ts';
import type { DeclaredModel } from '../../domain/catalog/model.ts';
import type { ProviderManifest } from '../../providers/manifest.ts';
import type { ServingRows } from '../ports/directory-store.ts';
import { ModelFacts } from './model-facts.ts';

/** The known facts and operators' declarations about models, independent of the channels that serve them. */
export class ModelCatalog {
  readonly facts: ModelFacts;
  /** The declared models by public id. */
  readonly declared: ReadonlyMap<string, DeclaredModel>;

  constructor(providers: ReadonlyMap<string, ProviderManifest>, rows: Pick<ServingRows, 'models' | 'syncedModels'>) {
    this.facts = new ModelFacts(providers, rows.syncedModels);
    this.declared = new Map(rows.models.map((model) => [model.id, model]));
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
