import type { BudgetPurse, BudgetSpending, LedgerEntry } from '../../engine/ports/ledger.ts';
import { FORGET_AFTER_MS } from '../shared/tables/budget-spending.ts';

interface Period {
  readonly purse: BudgetPurse;
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

  free(purse: BudgetPurse, budgetNanoUsd: bigint): bigint {
    const { spentNanoUsd, leasedNanoUsd } = this.#find(purse) ?? this.#begin(purse);
    return budgetNanoUsd - spentNanoUsd - leasedNanoUsd;
  }

  moveLease(purse: BudgetPurse, amountNanoUsd: bigint): void {
    const period = this.#find(purse);
    if (period === undefined) return;
    const leased = period.leasedNanoUsd + amountNanoUsd;
    period.leasedNanoUsd = leased < 0n ? 0n : leased;
  }

  count(charge: CountedCharge): void {
    for (const period of this.#periods.get(charge.entry.accountId) ?? []) {
      if (countsIn(charge, period.purse)) period.spentNanoUsd -= charge.entry.amountNanoUsd;
    }
  }

  spending(purse: BudgetPurse): BudgetSpending {
    const { spentNanoUsd, leasedNanoUsd } = this.#find(purse) ?? {
      spentNanoUsd: this.charged(purse),
      leasedNanoUsd: 0n,
    };
    return { ...purse, spentNanoUsd, leasedNanoUsd };
  }

  all(): readonly BudgetSpending[] {
    return [...this.#periods.values()].flat().map(({ purse }) => this.spending(purse));
  }

  charged(purse: BudgetPurse): bigint {
    const own = this.#charges().filter((charge) => countsIn(charge, purse));
    return own.reduce((sum, { entry }) => sum - entry.amountNanoUsd, 0n);
  }

  #find({ accountId, keyId, window }: BudgetPurse): Period | undefined {
    return this.#periods
      .get(accountId)
      ?.find(
        ({ purse }) =>
          purse.keyId === keyId &&
          purse.window.startsAtMs === window.startsAtMs &&
          purse.window.endsAtMs === window.endsAtMs,
      );
  }

  #begin(purse: BudgetPurse): Period {
    const made = { purse, spentNanoUsd: this.charged(purse), leasedNanoUsd: 0n };
    const before = purse.window.startsAtMs - FORGET_AFTER_MS;
    const kept = (this.#periods.get(purse.accountId) ?? []).filter(
      (period) =>
        period.purse.keyId !== purse.keyId || period.purse.window.endsAtMs >= before || period.leasedNanoUsd > 0n,
    );
    this.#periods.set(purse.accountId, [...kept, made]);
    return made;
  }
}

export interface CountedCharge {
  readonly entry: LedgerEntry;
  readonly countedAtMs: number;
}

function countsIn({ entry, countedAtMs }: CountedCharge, { accountId, keyId, window }: BudgetPurse): boolean {
  return (
    entry.accountId === accountId &&
    (keyId === null || entry.keyId === keyId) &&
    window.startsAtMs <= countedAtMs &&
    countedAtMs < window.endsAtMs
  );
}
