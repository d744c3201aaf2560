import type { DeclaredModel } from '../../../domain/catalog/model.ts';
import { suggestModels } from '../../../domain/catalog/suggest.ts';
import type { ModelRule } from '../../../domain/routing/model-rule.ts';
import { ruleProblem } from '../../../domain/routing/rule-graph.ts';
import type { ServingRows } from '../../ports/directory-store.ts';
import { AdminError } from '../admin-error.ts';

const MOST_VIRTUAL_MODELS = 500;

/**
 * Throws an `AdminError` that names the rule if a model's rules lead to a model that neither exists nor is served by a channel, back to the
 * model itself by way of others, or over too many models; also if there are too many virtual models. Later changes of channels and models
 * are not checked: a rule whose model has gone is skipped.
 *
 * @param rows before the change
 */
export function refuseRules(
  { models, channels }: Pick<ServingRows, 'models' | 'channels'>,
  { id, rules }: Pick<DeclaredModel, 'id' | 'rules'>,
): void {
  if (rules === null) return;
  const byId = new Map(models.map((model) => [model.id, model.rules]));
  if (byId.get(id) == null && models.filter((model) => model.rules !== null).length >= MOST_VIRTUAL_MODELS) {
    throw new AdminError(
      'invalid_value',
      'rules',
      `at most ${MOST_VIRTUAL_MODELS} models can have rules; remove another one`,
    );
  }
  byId.set(id, rules);
  refuseUnknown(
    id,
    rules,
    new Set([...byId.keys(), ...channels.flatMap((channel) => Object.keys(channel.models))]),
    () => channels.some((channel) => Object.hasOwn(channel.models, id)),
  );
  const rulesOf = (modelId: string) => byId.get(modelId) ?? null;
  const own = ruleProblem(id, rules, rulesOf);
  if (own !== null) throw new AdminError('invalid_value', `rules[${own.rule}].model`, own.message);
  // The model may be in the middle of a way that is too long now.
  for (const [other, otherRules] of byId) {
    const problem = otherRules == null ? null : ruleProblem(other, otherRules, rulesOf);
    if (problem !== null)
      throw new AdminError('invalid_value', 'rules', `a rule of "${other}" then ${problem.message}`);
  }
}

function refuseUnknown(
  id: string,
  rules: readonly ModelRule[],
  known: ReadonlySet<string>,
  isServed: () => boolean,
): void {
  for (const [index, { model }] of rules.entries()) {
    const field = `rules[${index}].model`;
    if (model === id) {
      if (isServed()) continue;
      throw new AdminError(
        'invalid_value',
        field,
        `leads to the model itself, which no channel serves; name another model`,
      );
    }
    if (known.has(model)) continue;
    const [guess] = suggestModels(
      model,
      [...known].filter((one) => one !== id),
      1,
    );
    const hint = guess === undefined ? 'declare it, or let a channel serve it first' : `did you mean "${guess}"?`;
    throw new AdminError('invalid_value', field, `there is no model "${model}" (${hint})`);
  }
}
