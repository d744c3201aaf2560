import type { Principal } from '../../domain/access/principal.ts';
import type { Model } from '../../domain/catalog/model.ts';
import type { ModelOperation } from '../../domain/catalog/model-operation.ts';
import type { Directory } from '../directory/directory.ts';
import { usableModels } from '../directory/find-model.ts';

/** Models of which one may be the default. */
export interface Choice {
  /** Ids of the models that are taken first, in this order. */
  readonly preferred?: readonly string[];
  /** Whether any other model will do; all of the operation will where this is left out. */
  readonly accepts?: (model: Model) => boolean;
}

/**
 * Returns the model of a request that names none, at an endpoint where the contract says that there is a default: the first of
 * `preferred` that the key may use and that a channel serves, else the first such model by its id that `accepts` lets through.
 * Choices are tried in order, and all of them with real channels before any with a provider whose answers are made up. `null` if
 * there is none.
 */
export function defaultModel(
  directory: Directory,
  principal: Principal,
  operation: ModelOperation,
  choices: readonly Choice[],
): string | null {
  const models = usableModels(directory, principal).filter((model) => model.operations.includes(operation));
  const served = models.map((model) => ({ model, by: servedBy(directory, principal, operation, model.id) }));
  for (const by of ['real', 'synthetic'] as const) {
    const usable = served.filter((one) => one.by === by).map(({ model }) => model);
    for (const { preferred = [], accepts = () => true } of choices) {
      const id = preferred.find((wanted) => usable.some((model) => model.id === wanted)) ?? usable.find(accepts)?.id;
      if (id !== undefined) return id;
    }
  }
  return null;
}

/** Returns whether a real channel serves the model, or one whose answers are made up; `null` where none does. */
function servedBy(
  directory: Directory,
  principal: Principal,
  operation: ModelOperation,
  modelId: string,
): 'real' | 'synthetic' | null {
  const targets = directory.waysFor(operation, modelId, principal.account.id)?.targets ?? [];
  if (targets.length === 0) return null;
  return targets.every(({ isSynthetic }) => isSynthetic === true) ? 'synthetic' : 'real';
}
