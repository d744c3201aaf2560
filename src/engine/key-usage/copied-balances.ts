import type { Principal } from '../../domain/access/principal.ts';
import { usdNumber, wholeNumber } from '../../domain/money/amount-numbers.ts';
import type { BudgetPeriod } from '../../domain/money/budget.ts';
import { formatNanoUsd } from '../../domain/money/nano-usd.ts';
import { isoTime, timeOrNull } from '../admin/view-fields.ts';
import { accountRequests, accountTokens } from '../limits/principal-quota.ts';
import { NO_LIMIT_NANO_USD } from './copied-views.ts';
import type { Spending } from './spending.ts';

/* The balances of other services that clients ask for without a period. */

/** new-api counts in points: 500,000 are a dollar. */
const NANO_USD_PER_POINT = 2_000n;
const MS_PER_SECOND = 1_000;

/** Returns what is left under the nearest limit, or the amount for no limit, and what was spent. */
function available({ limits: [nearest], spentNanoUsd }: Spending) {
  if (nearest === undefined) return { leftNanoUsd: NO_LIMIT_NANO_USD, usedNanoUsd: spentNanoUsd };
  return { leftNanoUsd: nearest.remainingNanoUsd, usedNanoUsd: nearest.spentNanoUsd };
}

/** Returns the body of OpenAI's former `GET /v1/dashboard/billing/credit_grants`. */
export function creditGrantsView(spending: Spending) {
  const { leftNanoUsd, usedNanoUsd } = available(spending);
  return {
    object: 'credit_summary',
    total_granted: usdNumber(leftNanoUsd + usedNanoUsd),
    total_used: usdNumber(usedNanoUsd),
    total_available: usdNumber(leftNanoUsd),
    grants: { object: 'list', data: [] },
  };
}

/** Returns the body of DeepSeek's `GET /user/balance`, whose amounts are texts. */
export function deepSeekBalanceView(spending: Spending) {
  const { leftNanoUsd } = available(spending);
  const left = formatNanoUsd(leftNanoUsd);
  return {
    is_available: leftNanoUsd > 0n,
    balance_infos: [{ currency: 'USD', total_balance: left, granted_balance: '0', topped_up_balance: left }],
  };
}

/** Returns the body of new-api's `GET /api/usage/token`. Points are whole: those that are left are rounded down, those used up. */
export function newApiTokenView({ credential }: Principal, spending: Spending) {
  const isUnlimited = spending.limits.length === 0;
  const { leftNanoUsd, usedNanoUsd } = available(spending);
  const used = (usedNanoUsd + NANO_USD_PER_POINT - 1n) / NANO_USD_PER_POINT;
  const left = isUnlimited ? 0n : leftNanoUsd / NANO_USD_PER_POINT;
  const { models, expiresAtMs } = credential;
  return {
    code: true,
    message: 'ok',
    data: {
      object: 'token_usage',
      name: credential.name,
      total_granted: wholeNumber(used + left),
      total_used: wholeNumber(used),
      total_available: wholeNumber(left),
      unlimited_quota: isUnlimited,
      model_limits: Object.fromEntries((models ?? []).map((model) => [model, true])),
      model_limits_enabled: models !== null,
      expires_at: expiresAtMs === null ? 0 : Math.floor(expiresAtMs / MS_PER_SECOND),
    },
  };
}

const DURATIONS: Readonly<Record<BudgetPeriod, string>> = { day: '1d', week: '7d', month: '1mo' };

/** Returns the body of LiteLLM's `GET /key/info`, which is about the key alone. The secret is not repeated. */
export function liteLlmKeyView({ account, credential }: Principal, spending: Spending) {
  const [nearest] = spending.limits;
  return {
    key: credential.preview,
    info: {
      key_name: credential.preview,
      key_alias: credential.name,
      spend: usdNumber(available(spending).usedNanoUsd),
      max_budget: nearest === undefined ? null : usdNumber(nearest.limitNanoUsd),
      budget_duration: nearest?.period ? DURATIONS[nearest.period.budget.per] : null,
      budget_reset_at: timeOrNull(nearest?.period?.window.endsAtMs ?? null),
      models: credential.models ?? [],
      rpm_limit: credential.requestsPerMinute ?? accountRequests(account).limit,
      tpm_limit: accountTokens(account)?.limit ?? null,
      max_parallel_requests: account.maxConcurrent,
      expires: timeOrNull(credential.expiresAtMs),
      blocked: false,
      created_at: isoTime(credential.createdAtMs),
    },
  };
}
