import { type Budget, type BudgetWindow, budgetWindow } from '../../../domain/money/budget.ts';
import { formatNanoUsd } from '../../../domain/money/nano-usd.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { budgetWords } from '../schema/budget.ts';
import { isoTime } from '../schema/iso-time.ts';

export interface BudgetOwner {
  readonly accountId: string;
  /** `null` for the account's own budget. */
  readonly keyId: string | null;
  readonly budget: Budget;
}

/** A budget in its current period. */
export interface BudgetState extends BudgetOwner {
  readonly window: BudgetWindow;
  readonly spentNanoUsd: bigint;
  /** The part of the budget that running requests and gateways have reserved. */
  readonly heldNanoUsd: bigint;
  /** Never negative, even if the budget was lowered. */
  readonly leftNanoUsd: bigint;
}

/** The number of budgets that are read at once, so that reading those of many accounts does not keep a store busy for long. */
const READ_AT_ONCE = 500;

/** Resolves to what is spent and left of these budgets now, in their order. This is cheap: it reads one row for each budget. */
export async function budgetStates(
  ledger: Pick<Ledger, 'budgetSpending'>,
  nowMs: number,
  owners: readonly BudgetOwner[],
): Promise<readonly BudgetState[]> {
  const states: BudgetState[] = [];
  for (let from = 0; from < owners.length; from += READ_AT_ONCE) {
    const some = owners.slice(from, from + READ_AT_ONCE);
    const pools = some.map(({ accountId, keyId, budget }) => ({
      accountId,
      keyId,
      window: budgetWindow(budget, nowMs),
    }));
    const spending = await ledger.budgetSpending(pools);
    for (const [index, owner] of some.entries()) {
      const { window, spentNanoUsd, leasedNanoUsd } = spending[index] ?? {
        ...NOTHING,
        window: budgetWindow(owner.budget, nowMs),
      };
      const left = owner.budget.amountNanoUsd - spentNanoUsd - leasedNanoUsd;
      states.push({ ...owner, window, spentNanoUsd, heldNanoUsd: leasedNanoUsd, leftNanoUsd: left > 0n ? left : 0n });
    }
  }
  return states;
}

const NOTHING = { spentNanoUsd: 0n, leasedNanoUsd: 0n };

/** Returns the state as JSON: amounts as decimal text in USD, times in RFC 3339 and UTC. */
export function budgetStateView({ budget, window, spentNanoUsd, heldNanoUsd, leftNanoUsd }: BudgetState) {
  return {
    ...budgetWords(budget),
    spent_usd: formatNanoUsd(spentNanoUsd),
    held_usd: formatNanoUsd(heldNanoUsd),
    left_usd: formatNanoUsd(leftNanoUsd),
    starts_at: isoTime(window.startsAtMs),
    resets_at: isoTime(window.endsAtMs),
  };
}
