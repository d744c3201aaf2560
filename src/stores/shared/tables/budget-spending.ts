import type { BudgetPurse, BudgetSpending } from '../../../engine/ports/ledger.ts';

/**
 * One row for each period of a budget that money was put aside from, of either database; integers come back as `bigint`. Its
 * `spent_nano` is the sum of all charges that count in the period, those from before the row included.
 */
export interface BudgetSpendingRow {
  readonly account_id: string;
  /** Empty for the account's budget. */
  readonly key_id: string;
  readonly starts_at_ms: bigint;
  readonly ends_at_ms: bigint;
  readonly spent_nano: bigint;
  readonly leased_nano: bigint;
}

/** The primary key of a row. */
export type BudgetPlace = readonly [accountId: string, keyId: string, startsAtMs: bigint, endsAtMs: bigint];

export function budgetPlace({ accountId, keyId, window }: BudgetPurse): BudgetPlace {
  return [accountId, keyId ?? '', BigInt(window.startsAtMs), BigInt(window.endsAtMs)];
}

export function fromBudgetPlace(row: Omit<BudgetSpendingRow, 'spent_nano' | 'leased_nano'>): BudgetPurse {
  const window = { startsAtMs: Number(row.starts_at_ms), endsAtMs: Number(row.ends_at_ms) };
  return { accountId: row.account_id, keyId: row.key_id || null, window };
}

export function toBudgetSpending(
  purse: BudgetPurse,
  row: Pick<BudgetSpendingRow, 'spent_nano' | 'leased_nano'>,
): BudgetSpending {
  return { ...purse, spentNanoUsd: row.spent_nano, leasedNanoUsd: row.leased_nano };
}

/** Whether it is a period of a budget, and not the balance or a key's limit. */
export function isBudget<Kind extends { readonly window?: BudgetPurse['window'] }>(
  purse: Kind,
): purse is Kind & Pick<BudgetPurse, 'window'> {
  return purse.window !== undefined;
}

/** Periods that ended so long before a new one began are forgotten, unless something is leased of them. */
export const FORGET_AFTER_MS = 7 * 86_400_000;
