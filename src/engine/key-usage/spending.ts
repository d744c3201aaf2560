import type { Principal } from '../../domain/access/principal.ts';
import { type Budget, type BudgetWindow, budgetWindow } from '../../domain/money/budget.ts';
import { budgetInForce } from '../../domain/money/budget-in-force.ts';
import type { BudgetPool, Credits, Ledger } from '../ports/ledger.ts';

/** The figures that a key may read: its own, or also those of its account. */
export type UsageScope = 'key' | 'account';

/** A limit on what requests with the key may cost. */
export interface SpendingLimit {
  readonly kind: 'key_limit' | 'key_budget' | 'account_budget' | 'balance';
  readonly limitNanoUsd: bigint;
  /** The charges that count against it. Running requests do not count yet. */
  readonly spentNanoUsd: bigint;
  /** Never negative, even if the limit was lowered. */
  readonly remainingNanoUsd: bigint;
  /** The budget with its current period; `null` for a limit without one. */
  readonly period: SpendingPeriod | null;
}

interface SpendingPeriod {
  readonly budget: Budget;
  readonly window: BudgetWindow;
}

/** A budget that refuses nothing: past its threshold, requests get a cheaper model without a bound. */
export interface OpenBudget extends Pick<SpendingLimit, 'limitNanoUsd' | 'spentNanoUsd'> {
  readonly kind: 'key_budget' | 'account_budget';
  readonly period: SpendingPeriod;
}

export interface Spending {
  /** Everything that was spent: by the key, or by the account. */
  readonly spentNanoUsd: bigint;
  /** The one with the least left first. */
  readonly limits: readonly SpendingLimit[];
  readonly openBudgets: readonly OpenBudget[];
  /** `null` for the figures of the key alone. */
  readonly credits: Credits | null;
}

export type SpendingPorts = Pick<Ledger, 'spending' | 'budgetSpending' | 'credits'>;

/** Resolves to what was spent and is left at a moment. It reads one row per limit, and the account's entries other than charges. */
export async function spendingOf(
  ledger: SpendingPorts,
  { account, credential }: Principal,
  scope: UsageScope,
  nowMs: number,
): Promise<Spending> {
  const accountId = account.id;
  const isOfAccount = scope === 'account';
  const owners = [
    { kind: 'key_budget', keyId: credential.id, budget: budgetInForce(credential, nowMs) },
    { kind: 'account_budget', keyId: null, budget: isOfAccount ? budgetInForce(account, nowMs) : null },
  ] as const;
  const budgets = owners.flatMap(({ budget, ...owner }) => (budget === null ? [] : [{ ...owner, budget }]));
  const pools: BudgetPool[] = budgets.map(({ keyId, budget }) => ({
    ...{ accountId, keyId, window: budgetWindow(budget, nowMs) },
  }));
  const [keys, periods, credits] = await Promise.all([
    ledger.spending([{ accountId, keyId: credential.id }]),
    pools.length === 0 ? [] : ledger.budgetSpending(pools),
    isOfAccount ? ledger.credits(accountId) : null,
  ]);
  const ofKey = keys[0]?.spentNanoUsd ?? 0n;
  const limits: SpendingLimit[] = [];
  const openBudgets: OpenBudget[] = [];
  if (credential.limitNanoUsd !== null) limits.push(left('key_limit', credential.limitNanoUsd, ofKey));
  for (const [index, { kind, budget }] of budgets.entries()) {
    const { spentNanoUsd = 0n, window = budgetWindow(budget, nowMs) } = periods[index] ?? {};
    const period = { budget, window };
    const ceiling = budget.reroute === undefined ? budget.amountNanoUsd : budget.reroute.ceilingNanoUsd;
    if (ceiling === null) openBudgets.push({ kind, limitNanoUsd: budget.amountNanoUsd, spentNanoUsd, period });
    else limits.push({ ...left(kind, ceiling, spentNanoUsd), period });
  }
  const ofAccount = credits === null ? null : credits.creditedNanoUsd - credits.balanceNanoUsd;
  if (credits !== null && ofAccount !== null && account.billing === 'prepaid')
    limits.push(left('balance', credits.creditedNanoUsd, ofAccount));
  return { spentNanoUsd: ofAccount ?? ofKey, limits: limits.toSorted(byRemaining), openBudgets, credits };
}

function left(kind: SpendingLimit['kind'], limitNanoUsd: bigint, spentNanoUsd: bigint): SpendingLimit {
  const remaining = limitNanoUsd - spentNanoUsd;
  return { kind, limitNanoUsd, spentNanoUsd, remainingNanoUsd: remaining > 0n ? remaining : 0n, period: null };
}

function byRemaining(one: SpendingLimit, other: SpendingLimit): number {
  if (one.remainingNanoUsd === other.remainingNanoUsd) return 0;
  return one.remainingNanoUsd < other.remainingNanoUsd ? -1 : 1;
}
