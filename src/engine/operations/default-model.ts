import type { Principal } from '../../domain/access/principal.ts';
import type { Model } from '../../domain/catalog/model.ts';
import type { ModelOperation } from '../../domain/catalog/model-operation.ts';
import type { Directory } from '../directory/directory.ts';
import { usableModels } from '../directory/find-model.ts';

/**
 * The model of a request that names none, at an endpoint where the contract says that there is a default: the first of `preferred`
 * that the key may use and that a channel serves, else the first such model by its id that `accepts` lets through. `null` if there
 * is none.
 */
export function defaultModel(
  directory: Directory,
  principal: Principal,
  operation: ModelOperation,
  preferred: readonly string[],
  accepts: (model: Model) => boolean = () => true,
): string | null {
  const isServed = (id: string) => (directory.waysFor(operation, id, principal.account.id)?.targets.length ?? 0) > 0;
  const ids = usableModels(directory, principal)
    .filter((model) => model.operations.includes(operation) && accepts(model))
    .map(({ id }) => id);
  const usable = new Set(ids);
  return preferred.find((id) => usable.has(id) && isServed(id)) ?? ids.find(isServed) ?? null;
}
