import type { Principal } from '../../domain/access/principal.ts';
import type { Model } from '../../domain/catalog/model.ts';
import type { ModelOperation } from '../../domain/catalog/model-operation.ts';
import type { Directory } from '../directory/directory.ts';
import { usableModels } from '../directory/find-model.ts';

/** A set of possible default models. */
export interface Choice {
  /** Ids of the models that are taken first, in this order. */
  readonly preferred?: readonly string[];
  /** Returns whether another model may be the default. If absent, every model of the operation may. */
  readonly accepts?: (model: Model) => boolean;
}

/**
 * Returns the model of a request that names none, at an endpoint for which the contract has a default: the first of `preferred` that the
 * key may use and that a channel serves, else the first such model by id that `accepts` allows. Choices are tried in order, and all of them
 * with real channels before any with a synthetic provider. `null` if there is no such model.
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

/** Returns whether a real or only a synthetic channel serves the model; `null` if none does. */
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
