import { ruleProblem } from '../../../domain/routing/rule-graph.ts';
import type { Problem } from '../admin-error.ts';
import { field, list, text } from './unchecked.ts';

/** Returns the problems of virtual models that lead back to themselves by way of others of the same file, or over too many of them. */
export function rulesProblems(models: readonly unknown[]): Problem[] {
  const rulesById = new Map<string, readonly { readonly model: string }[]>();
  for (const model of models) {
    const id = text(model, 'id');
    const rules = list(field(model, 'rules'));
    if (id !== undefined && rules.length > 0)
      rulesById.set(
        id,
        rules.map((rule) => ({ model: text(rule, 'model') ?? '' })),
      );
  }
  const rulesOf = (id: string) => rulesById.get(id) ?? null;
  return models.flatMap((model, index) => {
    const id = text(model, 'id') ?? '';
    const problem = ruleProblem(id, rulesOf(id) ?? [], rulesOf);
    if (problem === null) return [];
    return [{ path: ['models', index, 'rules', problem.rule, 'model'], message: problem.message, isAboutValue: false }];
  });
}
