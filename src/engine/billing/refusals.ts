import { Failure } from '../../domain/failure/failure.ts';
import type { BudgetWindow } from '../../domain/money/budget.ts';
import { thresholdOf } from '../../domain/money/budget-in-force.ts';
import { formatNanoUsd } from '../../domain/money/nano-usd.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ledger, SpendingPool } from '../ports/ledger.ts';
import { fromLedger } from './ledger-away.ts';
import type { WalletBudget } from './wallet.ts';

interface RefusalPorts {
  readonly ledger: Ledger;
  readonly clock: Pick<Clock, 'nowMs'>;
}

/** Returns the refusal of a request that may cost more than the remainder of a spending pool that limits it. */
export function refusalOf(
  { ledger, clock }: RefusalPorts,
  { pool, of }: { readonly pool: SpendingPool; readonly of: WalletBudget | null },
  estimatedCostNanoUsd: bigint,
): Failure | Promise<Failure> {
  const { accountId, keyId, window } = pool;
  if (of !== null && window !== undefined) {
    return budgetExceeded({ ...of, window, isKeys: keyId !== null }, estimatedCostNanoUsd, clock.nowMs());
  }
  return keyId === null
    ? insufficientBalance(ledger, accountId, estimatedCostNanoUsd)
    : quotaExceeded(estimatedCostNanoUsd);
}

export async function insufficientBalance(
  ledger: Ledger,
  accountId: string,
  estimatedCostNanoUsd: bigint,
): Promise<Failure> {
  const { balanceNanoUsd } = await fromLedger(() => ledger.balance(accountId));
  return new Failure('insufficient_balance', {
    message: 'Insufficient balance for this request.',
    // Other requests, here or at other nodes, have reserved what the balance still has.
    ...(balanceNanoUsd >= estimatedCostNanoUsd && { kind: 'account_balance_in_use' }),
    hint: 'Add credit to the account, or send a shorter request with a lower bound on its output.',
    balanceNanoUsd,
    estimatedCostNanoUsd,
  });
}

export function quotaExceeded(estimatedCostNanoUsd: bigint): Failure {
  return new Failure('quota_exceeded', {
    message: "This request may cost more than what is left of this API key's limit.",
    hint: 'Raise the limit of the key, use another key, or send a request with a lower bound on its output.',
    estimatedCostNanoUsd,
  });
}

interface Exceeded extends WalletBudget {
  readonly window: BudgetWindow;
  /** Whether the budget belongs to the key rather than to its account. */
  readonly isKeys: boolean;
}

/** Returns the refusal of a request that exceeds a budget. It advises a wait only if the whole budget would cover the request. */
export function budgetExceeded(
  { budget, isCeiling, window, isKeys }: Exceeded,
  estimatedCostNanoUsd: bigint,
  nowMs: number,
): Failure {
  const whose = isKeys ? "this API key's" : "the account's";
  const { amountNanoUsd, per, reroute } = budget;
  const limit = isCeiling ? (reroute?.ceilingNanoUsd ?? amountNanoUsd) : thresholdOf(budget);
  const fitsLater = estimatedCostNanoUsd <= limit;
  const wait = fitsLater ? 'Wait until `resets_at`, raise' : 'Raise';
  const what = isCeiling
    ? `the ceiling of ${formatNanoUsd(limit)} USD per ${per} of ${whose} budget`
    : `${whose} budget of ${formatNanoUsd(amountNanoUsd)} USD per ${per}`;
  const instead =
    reroute === undefined || isCeiling ? '' : `\`${reroute.modelId}\`, its cheaper model, cannot take this request. `;
  return new Failure('quota_exceeded', {
    message: `This request may cost more than what is left of ${what}.`,
    hint: `${instead}${wait} the budget of the ${isKeys ? 'key' : 'account'}, or send a request with a lower bound on its output.`,
    kind: isKeys ? 'key_budget' : 'account_budget',
    estimatedCostNanoUsd,
    resetsAtMs: window.endsAtMs,
    ...(fitsLater && { retryAfterMs: Math.max(0, window.endsAtMs - nowMs) }),
  });
}

export function withoutPrice(modelId: string): Failure {
  return new Failure('model_not_allowed', {
    message: `The model \`${modelId}\` has no price, so a prepaid account cannot use it.`,
    param: 'model',
    kind: 'model_without_price',
    hint: 'An admin can set one: `pricing` of the model in the configuration.',
  });
}
