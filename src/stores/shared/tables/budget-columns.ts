import type { Budget, BudgetPeriod } from '../../../domain/money/budget.ts';

/** The budget of an account or key; all columns are NULL if it has none. */
export interface BudgetColumns {
  /** Decimal digits, like other amounts in these tables. */
  readonly budget_nano_usd: string | null;
  readonly budget_per: BudgetPeriod | null;
  readonly budget_time_zone: string | null;
}

export function toBudgetColumns(budget: Budget | null): BudgetColumns {
  return {
    budget_nano_usd: budget === null ? null : String(budget.amountNanoUsd),
    budget_per: budget?.per ?? null,
    budget_time_zone: budget?.timeZone ?? null,
  };
}

export function fromBudgetColumns({ budget_nano_usd, budget_per, budget_time_zone }: BudgetColumns): Budget | null {
  if (budget_nano_usd === null || budget_per === null || budget_time_zone === null) return null;
  return { amountNanoUsd: BigInt(budget_nano_usd), per: budget_per, timeZone: budget_time_zone };
}
