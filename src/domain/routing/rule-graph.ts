import { MOST_RULE_STEPS } from './model-rule.ts';

interface Leading {
  readonly model: string;
}

type RulesOf = (modelId: string) => readonly Leading[] | null;

/** A rule by which a virtual model cannot be declared. */
export interface RuleProblem {
  /** The index of the rule. */
  readonly rule: number;
  /** Completes "rules[n].model". */
  readonly message: string;
}

/**
 * Returns the first rule of a virtual model that leads back to it by way of others, or over too many of them; `null` if there is none. A
 * rule that leads to its model's own id ends there, so it makes no cycle. The work grows with the number of rules, not of ways.
 */
export function ruleProblem(modelId: string, rules: readonly Leading[], rulesOf: RulesOf): RuleProblem | null {
  for (const [rule, { model }] of rules.entries()) {
    const message = model === modelId ? null : problemBehind(modelId, model, rulesOf);
    if (message !== null) return { rule, message };
  }
  return null;
}

/** Follows the rules step by step: each step has the models that are reached by it, with one way to each. */
function problemBehind(modelId: string, target: string, rulesOf: RulesOf): string | null {
  let reached = new Map([[target, [modelId, target]]]);
  for (let steps = 1; steps <= MOST_RULE_STEPS; steps++) {
    const next = new Map<string, string[]>();
    for (const [from, way] of reached) {
      if (from === modelId) return `leads back to its own model: ${way.join(' → ')}`;
      for (const { model } of rulesOf(from) ?? []) if (model !== from) next.set(model, [...way, model]);
    }
    reached = next;
  }
  for (const [last, way] of reached) {
    if (last === modelId) return `leads back to its own model: ${way.join(' → ')}`;
    return `leads over more than ${MOST_RULE_STEPS} models: ${way.join(' → ')}`;
  }
  return null;
}
