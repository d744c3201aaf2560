import type { BudgetPool, BudgetSpending, LedgerEntry } from '../../engine/ports/ledger.ts';
import { FORGET_AFTER_MS } from '../shared/tables/budget-spending.ts';

interface Period {
  readonly pool: BudgetPool;
  spentNanoUsd: bigint;
  leasedNanoUsd: bigint;
}

/** The spent and leased amounts of budget periods. */
export class MemoryBudgets {
  /** Keyed by account. */
  readonly #periods = new Map<string, Period[]>();
  readonly #charges: () => readonly CountedCharge[];

  /** @param charges returns all charges of the ledger */
  constructor(charges: () => readonly CountedCharge[]) {
    this.#charges = charges;
  }

  free(pool: BudgetPool, budgetNanoUsd: bigint): bigint {
    const { spentNanoUsd, leasedNanoUsd } = this.#find(pool) ?? this.#begin(pool);
    return budgetNanoUsd - spentNanoUsd - leasedNanoUsd;
  }

  moveLease(pool: BudgetPool, amountNanoUsd: bigint): void {
    const period = this.#find(pool);
    if (period === undefined) return;
    const leased = period.leasedNanoUsd + amountNanoUsd;
    period.leasedNanoUsd = leased < 0n ? 0n : leased;
  }

  count(charge: CountedCharge): void {
    for (const period of this.#periods.get(charge.entry.accountId) ?? []) {
      if (countsIn(charge, period.pool)) period.spentNanoUsd -= charge.entry.amountNanoUsd;
    }
  }

  spending(pool: BudgetPool): BudgetSpending {
    const { spentNanoUsd, leasedNanoUsd } = this.#find(pool) ?? {
      spentNanoUsd: this.charged(pool),
      leasedNanoUsd: 0n,
    };
    return { ...pool, spentNanoUsd, leasedNanoUsd };
  }

  all(): readonly BudgetSpending[] {
    return [...this.#periods.values()].flat().map(({ pool }) => this.spending(pool));
  }

  charged(pool: BudgetPool): bigint {
    const own = this.#charges().filter((charge) => countsIn(charge, pool));
    return own.reduce((sum, { entry }) => sum - entry.amountNanoUsd, 0n);
  }

  #find({ accountId, keyId, window }: BudgetPool): Period | undefined {
    return this.#periods
      .get(accountId)
      ?.find(
        ({ pool }) =>
          pool.keyId === keyId &&
          pool.window.startsAtMs === window.startsAtMs &&
          pool.window.endsAtMs === window.endsAtMs,
      );
  }

  #begin(pool: BudgetPool): Period {
    const made = { pool, spentNanoUsd: this.charged(pool), leasedNanoUsd: 0n };
    const before = pool.window.startsAtMs - FORGET_AFTER_MS;
    const kept = (this.#periods.get(pool.accountId) ?? []).filter(
      (period) =>
        period.pool.keyId !== pool.keyId || period.pool.window.endsAtMs >= before || period.leasedNanoUsd > 0n,
    );
    this.#periods.set(pool.accountId, [...kept, made]);
    return made;
  }
}

export interface CountedCharge {
  readonly entry: LedgerEntry;
  readonly countedAtMs: number;
}

function countsIn({ entry, countedAtMs }: CountedCharge, { accountId, keyId, window }: BudgetPool): boolean {
  return (
    entry.accountId === accountId &&
    (keyId === null || entry.keyId === keyId) &&
    window.startsAtMs <= countedAtMs &&
    countedAtMs < window.endsAtMs
  );
}
