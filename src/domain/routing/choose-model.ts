import { MOST_RULE_STEPS, type ModelRule, type RuleFacts } from './model-rule.ts';
import { allHold, type ConditionCheck, type ConditionName, checksOf } from './rule-checks.ts';

/** The models that rules refer to. */
export interface RuleModels {
  /** Returns the rules of a virtual model; `null` for another model. */
  rulesOf(modelId: string): readonly ModelRule[] | null;
  /** Returns whether a request can be sent to the model. Rules that lead to another one are skipped. */
  isAvailable(modelId: string): boolean;
}

/** The rule of one virtual model that took a request. */
export interface RuleStep {
  readonly from: string;
  readonly to: string;
  /** The index of the rule. */
  readonly rule: number;
  /** The rule and the values of its conditions, for people. */
  readonly why: string;
}

/**
 * Returns the steps from a model to the one that its rules lead to; none for a model without rules. A virtual model that leads to its own
 * id, and the one after `MOST_RULE_STEPS`, is asked as itself.
 */
export function chooseModel(modelId: string, facts: RuleFacts, models: RuleModels): readonly RuleStep[] {
  const steps: RuleStep[] = [];
  let from = modelId;
  while (steps.length < MOST_RULE_STEPS) {
    const rules = models.rulesOf(from);
    const step = rules === null ? null : stepFrom(from, rules, facts, models);
    if (step === null) return steps;
    steps.push(step);
    if (step.to === from) return steps;
    from = step.to;
  }
  return steps;
}

/** Returns the step of the first rule that takes the request; `null` if none does, because the models of all of them are unavailable. */
function stepFrom(from: string, rules: readonly ModelRule[], facts: RuleFacts, models: RuleModels): RuleStep | null {
  for (const [rule, { name, when, model: to }] of rules.entries()) {
    if (when !== null && !allHold(when, facts, { from, to })) continue;
    if (to !== from && !models.isAvailable(to)) continue;
    const checks = when === null ? [] : checksOf(when, facts, { from, to });
    return { from, to, rule, why: whyOf(rule, name, when === null, checks) };
  }
  return null;
}

/** Conditions whose lists name other accounts, keys and tags: clients see the reason, so it has only the value of their own request. */
const PRIVATE: ReadonlySet<ConditionName> = new Set(['accounts', 'keys', 'roles', 'tags', 'formats']);

/** Returns for example `rule 2 "long prompts": input_tokens 61234 (at least 50000)`. */
function whyOf(rule: number, name: string | null, isDefault: boolean, checks: readonly ConditionCheck[]): string {
  const title = isDefault ? 'the default' : `rule ${rule + 1}`;
  const named = name === null ? title : `${title} "${name}"`;
  if (checks.length === 0) return named;
  const compared = checks.map(({ condition, value, wanted }) =>
    PRIVATE.has(condition) ? `${condition} ${value}` : `${condition} ${value} (${wanted})`,
  );
  return `${named}: ${compared.join(', ')}`;
}

/** A rule with all values that it compares, and what became of it. */
export interface ExaminedRule {
  readonly rule: number;
  readonly name: string | null;
  readonly model: string;
  readonly checks: readonly ConditionCheck[];
  /** `taken`; `not-reached` behind the one that was taken; `skipped` if its model is not available. */
  readonly verdict: 'taken' | 'conditions' | 'skipped' | 'not-reached';
}

/** Returns every rule of a virtual model as `chooseModel` sees it, including those that it does not reach. */
export function examineRules(
  from: string,
  rules: readonly ModelRule[],
  facts: RuleFacts,
  models: Pick<RuleModels, 'isAvailable'>,
): readonly ExaminedRule[] {
  let isTaken = false;
  return rules.map(({ name, when, model }, rule) => {
    const checks = when === null ? [] : checksOf(when, facts, { from, to: model });
    const of = { rule, name, model, checks };
    if (isTaken) return { ...of, verdict: 'not-reached' };
    if (!checks.every(({ holds }) => holds)) return { ...of, verdict: 'conditions' };
    if (model !== from && !models.isAvailable(model)) return { ...of, verdict: 'skipped' };
    isTaken = true;
    return { ...of, verdict: 'taken' };
  });
}
