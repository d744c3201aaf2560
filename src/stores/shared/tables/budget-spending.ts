import type { BudgetPool, BudgetSpending } from '../../../engine/ports/ledger.ts';

/**
 * One row per budget period from which money was reserved, in either database. Integers are returned as `bigint`. `spent_nano` is the sum
 * of all charges in the period, including those from before the row was created.
 */
export interface BudgetSpendingRow {
  readonly account_id: string;
  /** Empty for the account's own budget. */
  readonly key_id: string;
  readonly starts_at_ms: bigint;
  readonly ends_at_ms: bigint;
  readonly spent_nano: bigint;
  readonly leased_nano: bigint;
}

/** The primary key of a row. */
export type BudgetPlace = readonly [accountId: string, keyId: string, startsAtMs: bigint, endsAtMs: bigint];

export function budgetPlace({ accountId, keyId, window }: BudgetPool): BudgetPlace {
  return [accountId, keyId ?? '', BigInt(window.startsAtMs), BigInt(window.endsAtMs)];
}

export function fromBudgetPlace(row: Omit<BudgetSpendingRow, 'spent_nano' | 'leased_nano'>): BudgetPool {
  const window = { startsAtMs: Number(row.starts_at_ms), endsAtMs: Number(row.ends_at_ms) };
  return { accountId: row.account_id, keyId: row.key_id || null, window };
}

export function toBudgetSpending(
  pool: BudgetPool,
  row: Pick<BudgetSpendingRow, 'spent_nano' | 'leased_nano'>,
): BudgetSpending {
  return { ...pool, spentNanoUsd: row.spent_nano, leasedNanoUsd: row.leased_nano };
}

/** Whether the spending pool is a budget period rather than the balance or a key's limit. */
export function isBudget<Kind extends { readonly window?: BudgetPool['window'] }>(
  pool: Kind,
): pool is Kind & Pick<BudgetPool, 'window'> {
  return pool.window !== undefined;
}

/** Periods that ended this long before a new one began are deleted, unless part of them is leased. */
export const FORGET_AFTER_MS = 7 * 86_400_000;
