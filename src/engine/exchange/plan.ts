import { allowsModel } from '../../domain/access/allow-list.ts';
import { suggestModels } from '../../domain/catalog/suggest.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { orderTargets } from '../../domain/routing/order.ts';
import type { Directory, Principal } from '../shared/directory.ts';
import type { Target } from '../shared/target.ts';

/** The targets for a model in the order in which they are to be tried; never empty. */
export function plan(
  directory: Directory,
  principal: Principal,
  modelId: string,
  clientFormat: string,
  random: () => number,
): readonly Target[] | Failure {
  const { account, credential } = principal;
  const targets = directory.targetsFor(modelId, account.id, clientFormat);
  if (targets.length === 0) return modelNotFound(directory, principal, modelId);
  if (!allowsModel(credential.models, modelId)) {
    return new Failure('model_not_allowed', {
      message: `This API key may not use the model \`${modelId}\`.`,
      param: 'model',
      hint: "Use a model of the key's allow-list, or another key.",
    });
  }
  return orderTargets(targets, random);
}

function modelNotFound(directory: Directory, { account, credential }: Principal, modelId: string): Failure {
  const usable = directory.publicModelIds(account.id).filter((id) => allowsModel(credential.models, id));
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
  return `Models of this key: ${shown.join(', ')}${usable.length > shown.length ? ', …' : ''}.`;
}
