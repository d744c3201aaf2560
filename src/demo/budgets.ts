import { type Budget, budgetWindow } from '../domain/money/budget.ts';
import type { Store } from '../engine/ports/store.ts';

const MOST = 1_000;

/**
 * Begins the current period of every budget, as the first request in it does: from then on spending is counted instead of computed from the
 * log.
 */
export async function beginBudgets({ directory, ledger }: Store, nowMs: number): Promise<void> {
  const begin = async (accountId: string, keyId: string | null, budget: Budget | null) => {
    if (budget === null) return;
    await ledger.lease({ accountId, keyId, window: budgetWindow(budget, nowMs) }, 0n, 0n, budget.amountNanoUsd);
  };
  for (const { id: accountId, budget } of await directory.accounts({ after: null, limit: MOST })) {
    await begin(accountId, null, budget);
    const keys = await directory.credentials({ accountId, kind: 'inference', after: null, limit: MOST });
    for (const key of keys) await begin(accountId, key.id, key.budget);
  }
}
