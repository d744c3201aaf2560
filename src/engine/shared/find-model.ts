import { allowsModel } from '../../domain/access/allow-list.ts';
import type { Model } from '../../domain/catalog/model.ts';
import { suggestModels } from '../../domain/catalog/suggest.ts';
import { Failure } from '../../domain/failure/failure.ts';
import type { Directory, Principal } from './directory.ts';

/** The models that a key may use, by id in order; without a key, those that everybody may. */
export function usableModels(directory: Directory, principal: Principal | null): readonly Model[] {
  const visible = directory.visibleModels(principal?.account.id ?? null);
  const allowed = principal?.credential.models ?? null;
  return allowed === null ? visible : visible.filter(({ id }) => allowsModel(allowed, id));
}

/** The model that a client names, if its key may use it. */
export function findModel(directory: Directory, principal: Principal | null, modelId: string): Model | Failure {
  const model = directory.visibleModel(modelId, principal?.account.id ?? null);
  if (model === undefined) return modelNotFound(directory, principal, modelId);
  if (principal === null || allowsModel(principal.credential.models, modelId)) return model;
  return new Failure('model_not_allowed', {
    message: `This API key may not use the model \`${modelId}\`.`,
    param: 'model',
    hint: "Use a model of the key's allow-list, or another key.",
  });
}

/** The same for a model that is misspelled, hidden, on hold or somebody else's (contract, Errors, rule 1). */
function modelNotFound(directory: Directory, principal: Principal | null, modelId: string): Failure {
  const usable = usableModels(directory, principal).map(({ id }) => id);
  const suggestions = suggestModels(modelId, usable);
  const [best] = suggestions;
  return new Failure('model_not_found', {
    message: `The model \`${modelId.slice(0, 256)}\` does not exist or is not available.`,
    param: 'model',
    suggestions,
    ...(best === undefined ? {} : { didYouMean: best }),
    hint: best === undefined ? availableHint(usable) : `Did you mean \`${best}\`?`,
  });
}

function availableHint(usable: readonly string[]): string {
  if (usable.length === 0) return "This key can use no model now. Add a channel or widen the key's list of models.";
  const shown = usable.slice(0, 10).map((id) => `\`${id}\``);
  return `Models of this key: ${shown.join(', ')}${usable.length > shown.length ? ', …' : ''}. GET /v1/models lists them all.`;
}
