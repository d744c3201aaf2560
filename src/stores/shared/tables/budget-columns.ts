import type { Budget, BudgetPeriod, BudgetRaise, BudgetReroute } from '../../../domain/money/budget.ts';
import type { BudgetHolder } from '../../../domain/money/budget-in-force.ts';
import { fromJson } from './encoding.ts';

/** The budget of an account or key; all columns are NULL if it has none. */
export interface BudgetColumns {
  /** Decimal digits, like other amounts in these tables. */
  readonly budget_nano_usd: string | null;
  readonly budget_per: BudgetPeriod | null;
  readonly budget_time_zone: string | null;
  /** JSON (`StoredReroute`); NULL if requests past the budget are refused. */
  readonly budget_then: string | null;
  /** JSON (`StoredRaise`); NULL without a raise. */
  readonly budget_raise: string | null;
}

interface StoredReroute {
  readonly model: string;
  readonly at_percent: number;
  /** Decimal digits. */
  readonly ceiling_nano_usd: string | null;
}

interface StoredRaise {
  /** Decimal digits. */
  readonly nano_usd: string;
  readonly until_ms: number;
}

export function toBudgetColumns({ budget, budgetRaise = null }: BudgetHolder): BudgetColumns {
  return {
    budget_nano_usd: budget === null ? null : String(budget.amountNanoUsd),
    budget_per: budget?.per ?? null,
    budget_time_zone: budget?.timeZone ?? null,
    budget_then: budget?.reroute === undefined ? null : toRerouteJson(budget.reroute),
    budget_raise: budgetRaise === null ? null : toRaiseJson(budgetRaise),
  };
}

/** Returns the members of an account or key about its budget. The raise is absent if there is none. */
export function fromBudgetColumns(row: BudgetColumns): BudgetHolder {
  const budget = budgetIn(row);
  return row.budget_raise === null ? { budget } : { budget, budgetRaise: raiseIn(row.budget_raise) };
}

function budgetIn(row: BudgetColumns): Budget | null {
  const { budget_nano_usd, budget_per, budget_time_zone, budget_then } = row;
  if (budget_nano_usd === null || budget_per === null || budget_time_zone === null) return null;
  const budget = { amountNanoUsd: BigInt(budget_nano_usd), per: budget_per, timeZone: budget_time_zone };
  return budget_then === null ? budget : { ...budget, reroute: rerouteIn(budget_then) };
}

function toRerouteJson({ modelId, atPercent, ceilingNanoUsd }: BudgetReroute): string {
  const stored: StoredReroute = {
    model: modelId,
    at_percent: atPercent,
    ceiling_nano_usd: ceilingNanoUsd === null ? null : String(ceilingNanoUsd),
  };
  return JSON.stringify(stored);
}

function rerouteIn(text: string): BudgetReroute {
  const { model, at_percent, ceiling_nano_usd } = fromJson<StoredReroute>(text);
  const ceilingNanoUsd = ceiling_nano_usd === null ? null : BigInt(ceiling_nano_usd);
  return { modelId: model, atPercent: at_percent, ceilingNanoUsd };
}

function toRaiseJson({ amountNanoUsd, untilMs }: BudgetRaise): string {
  const stored: StoredRaise = { nano_usd: String(amountNanoUsd), until_ms: untilMs };
  return JSON.stringify(stored);
}

function raiseIn(text: string): BudgetRaise {
  const { nano_usd, until_ms } = fromJson<StoredRaise>(text);
  return { amountNanoUsd: BigInt(nano_usd), untilMs: until_ms };
}
