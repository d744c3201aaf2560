import type { Budget, BudgetRaise } from './budget.ts';

/** An account or a key, as far as its budget is concerned. */
export interface BudgetHolder {
  readonly budget: Budget | null;
  readonly budgetRaise?: BudgetRaise | null;
}

/** Returns the raise of a budget that is in force at a point in time; `null` for none. */
export function raiseInForce({ budget, budgetRaise = null }: BudgetHolder, atMs: number): BudgetRaise | null {
  if (budget === null || budgetRaise === null || atMs >= budgetRaise.untilMs) return null;
  return budgetRaise.amountNanoUsd > budget.amountNanoUsd ? budgetRaise : null;
}

/**
 * Returns the budget that applies at a point in time: with a raise that has not ended, its amount, and the ceiling of the cheaper model by as
 * much higher. The same object without a raise.
 */
export function budgetInForce(holder: BudgetHolder, atMs: number): Budget | null {
  const { budget } = holder;
  if (budget === null || holder.budgetRaise == null) return budget;
  const raise = raiseInForce(holder, atMs);
  if (raise === null) return budget;
  const { amountNanoUsd } = raise;
  const { reroute } = budget;
  if (reroute === undefined || reroute.ceilingNanoUsd === null) return { ...budget, amountNanoUsd };
  const ceilingNanoUsd = reroute.ceilingNanoUsd + amountNanoUsd - budget.amountNanoUsd;
  return { ...budget, amountNanoUsd, reroute: { ...reroute, ceilingNanoUsd } };
}

/**
 * Returns the raise that a changed budget keeps, as a member: none if there is no budget any more, or if its period is another one.
 */
export function keptRaise(before: BudgetHolder, budget: Budget | null): Pick<BudgetHolder, 'budgetRaise'> {
  const { budgetRaise = null } = before;
  return budgetRaise !== null && budget !== null && budget.per === before.budget?.per ? { budgetRaise } : {};
}

/** Returns the spending of a period at which the budget gives requests to another model, or refuses them if it names none. */
export function thresholdOf({ amountNanoUsd, reroute }: Budget): bigint {
  return reroute === undefined ? amountNanoUsd : (amountNanoUsd * BigInt(reroute.atPercent)) / 100n;
}

/** Returns how much of a period's spending the budget permits requests for this model; `null` if it does not limit them. */
export function amountFor(budget: Budget, modelId: string): bigint | null {
  return budget.reroute?.modelId === modelId ? budget.reroute.ceilingNanoUsd : thresholdOf(budget);
}

/** Returns whether a budget may refuse requests for this model. */
export function limitsModel({ budget }: BudgetHolder, modelId: string): boolean {
  return budget !== null && amountFor(budget, modelId) !== null;
}
