import type { Account } from '../../../api/schema.ts';
import { numberSaid, said } from '../written.ts';

type Budget = NonNullable<Account['budget']>;

/** A budget in a form: texts, empty if not set. */
export interface BudgetValues {
  budget: string;
  per: Budget['per'];
  timeZone: string;
  /** The cheaper model that requests get past the amount. */
  cheaper: string;
  /** The percentage of the amount at which they get it. */
  atPercent: string;
  /** The spending that no request may exceed. */
  ceiling: string;
}

export function budgetValuesOf(budget: Budget | null, ownTimeZone: string): BudgetValues {
  const cheaper = budget?.then;
  return {
    budget: budget?.usd ?? '',
    per: budget?.per ?? 'month',
    timeZone: budget?.time_zone ?? ownTimeZone,
    cheaper: cheaper?.model ?? '',
    atPercent: cheaper?.at_percent.toString() ?? '',
    ceiling: cheaper?.ceiling_usd ?? '',
  };
}

/** Returns the budget for the API; `null` for none. */
export function budgetBodyOf(values: BudgetValues) {
  const usd = said(values.budget);
  if (usd === null) return null;
  const plain = { usd, per: values.per, time_zone: values.timeZone.trim() };
  const model = said(values.cheaper);
  if (model === null) return plain;
  const cheaper = { model, at_percent: numberSaid(values.atPercent), ceiling_usd: said(values.ceiling) };
  // biome-ignore lint/suspicious/noThenProperty: the name in the API; its value is no function
  return { ...plain, then: cheaper };
}

/** The form's fields for members of the API. */
export const BUDGET_FIELD_OF = {
  'budget.usd': 'budget',
  'budget.per': 'per',
  'budget.time_zone': 'timeZone',
  'budget.then.model': 'cheaper',
  'budget.then.at_percent': 'atPercent',
  'budget.then.ceiling_usd': 'ceiling',
} as const;
