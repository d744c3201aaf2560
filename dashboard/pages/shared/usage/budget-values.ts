import type { Account } from '../../../api/schema.ts';

type Budget = NonNullable<Account['budget']>;

/** A budget in a form: texts, empty if not set. */
export interface BudgetValues {
  budget: string;
  per: Budget['per'];
  timeZone: string;
  /** The cheaper model that requests get past the amount. */
  cheaper: string;
  /** The budget’s settings for its cheaper model, of which the form shows the model only. */
  kept: Budget['then'] | null;
}

export function budgetValuesOf(budget: Budget | null, ownTimeZone: string): BudgetValues {
  return {
    budget: budget?.usd ?? '',
    per: budget?.per ?? 'month',
    timeZone: budget?.time_zone ?? ownTimeZone,
    cheaper: budget?.then?.model ?? '',
    kept: budget?.then ?? null,
  };
}

/** Returns the budget for the API; `null` for none. */
export function budgetBodyOf({ budget, per, timeZone, cheaper, kept }: BudgetValues) {
  if (budget.trim() === '') return null;
  const plain = { usd: budget.trim(), per, time_zone: timeZone.trim() };
  const model = cheaper.trim();
  // biome-ignore lint/suspicious/noThenProperty: the name in the API; its value is no function
  return model === '' ? plain : { ...plain, then: { ...kept, model } };
}

export const BUDGET_FIELD_OF = {
  'budget.usd': 'budget',
  'budget.per': 'per',
  'budget.time_zone': 'timeZone',
  'budget.then.model': 'cheaper',
} as const;
