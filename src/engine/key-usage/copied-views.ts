import type { Principal } from '../../domain/access/principal.ts';
import { centsNumber, usdNumber } from '../../domain/money/amount-numbers.ts';
import type { BudgetPeriod } from '../../domain/money/budget.ts';
import { NANO_USD_PER_USD } from '../../domain/money/nano-usd.ts';
import { timeOrNull } from '../admin/view-fields.ts';
import { accountRequests } from '../limits/principal-quota.ts';
import type { UsageSpan } from '../ports/usage-store.ts';
import type { ModelSum } from './read-sums.ts';
import type { Spending } from './spending.ts';

/* The shapes of other services, whose amounts are JSON numbers. They are written with all their digits. */

/** The amount for "no limit" in clients that need a number, as one-api has it. */
export const NO_LIMIT_NANO_USD = 100_000_000n * NANO_USD_PER_USD;

const MS_PER_SECOND = 1_000;

/** The costs of one day by model. */
export interface DailyCost {
  readonly span: UsageSpan;
  readonly models: readonly ModelSum[];
}

/** Returns the body of OpenAI's former `GET /v1/dashboard/billing/usage`: cents per day and model. */
export function billingUsageView(days: readonly DailyCost[], totalNanoUsd: bigint) {
  return {
    object: 'list',
    daily_costs: days.map(({ span, models }) => ({
      timestamp: span.fromMs / MS_PER_SECOND,
      line_items: models.map(({ modelId, measures }) => ({
        name: modelId === '' ? 'Other' : modelId,
        cost: centsNumber(measures.costNanoUsd),
      })),
    })),
    total_usage: centsNumber(totalNanoUsd),
  };
}

/**
 * Returns the body of OpenAI's former `GET /v1/dashboard/billing/subscription`. Clients show `hard_limit_usd` less the usage of the current
 * month as the balance, so it is what is left and what the month has cost.
 *
 * @param monthNanoUsd the charges of the current month (UTC)
 */
export function subscriptionView(
  { account, credential }: Principal,
  { limits: [nearest], credits }: Spending,
  monthNanoUsd: bigint,
) {
  const limit = nearest === undefined ? NO_LIMIT_NANO_USD : nearest.remainingNanoUsd + monthNanoUsd;
  const limitUsd = usdNumber(limit);
  const { expiresAtMs } = credential;
  return {
    object: 'billing_subscription',
    // Clients that see a payment method ask for the usage of the current month, others for that of the last 100 days.
    has_payment_method: true,
    canceled: false,
    soft_limit_usd: limitUsd,
    hard_limit_usd: limitUsd,
    system_hard_limit_usd: limitUsd,
    access_until: expiresAtMs === null ? 0 : Math.floor(expiresAtMs / MS_PER_SECOND),
    plan: { id: 'payg', title: 'Pay-as-you-go' },
    ...(credits !== null && { account_name: account.name }),
  };
}

/** The key's charges in the current periods (UTC), each from its first day or Monday until now. */
export interface RecentCosts {
  readonly dayNanoUsd: bigint;
  readonly weekNanoUsd: bigint;
  readonly monthNanoUsd: bigint;
}

const RESETS: Readonly<Record<BudgetPeriod, string>> = { day: 'daily', week: 'weekly', month: 'monthly' };

/** Returns the body of OpenRouter's `GET /api/v1/key`, which is about the key alone. */
export function openRouterKeyView(
  { account, credential }: Principal,
  { spentNanoUsd, limits: [nearest] }: Spending,
  { dayNanoUsd, weekNanoUsd, monthNanoUsd }: RecentCosts,
) {
  const requests = accountRequests(account).limit;
  return {
    data: {
      label: credential.preview,
      limit: nearest === undefined ? null : usdNumber(nearest.limitNanoUsd),
      limit_remaining: nearest === undefined ? null : usdNumber(nearest.remainingNanoUsd),
      limit_reset: nearest?.period ? RESETS[nearest.period.budget.per] : null,
      usage: usdNumber(spentNanoUsd),
      usage_daily: usdNumber(dayNanoUsd),
      usage_weekly: usdNumber(weekNanoUsd),
      usage_monthly: usdNumber(monthNanoUsd),
      // Requests over the account's own channels are part of `usage` here.
      ...{ byok_usage: 0, byok_usage_daily: 0, byok_usage_weekly: 0, byok_usage_monthly: 0 },
      include_byok_in_limit: false,
      is_free_tier: false,
      is_management_key: false,
      is_provisioning_key: false,
      ...{ creator_user_id: null, organization_id: null, workspace_id: null },
      // The gateway has neither regions nor a daily number of free requests; the SDK of OpenRouter needs the members.
      allowed_data_regions: ['global'],
      free_model_daily_requests: { limit: 0, used: 0, remaining: 0 },
      expires_at: timeOrNull(credential.expiresAtMs),
      rate_limit: {
        requests: Math.min(requests, credential.requestsPerMinute ?? requests),
        interval: '60s',
        note: 'Requests in any 60 seconds.',
      },
    },
  };
}

/** Returns the body of OpenRouter's `GET /api/v1/credits`: of the account, or of the nearest limit of the key. */
export function openRouterCreditsView({ account }: Principal, { limits: [nearest], credits, spentNanoUsd }: Spending) {
  if (credits === null)
    return creditsView(nearest?.limitNanoUsd ?? NO_LIMIT_NANO_USD, nearest?.spentNanoUsd ?? spentNanoUsd);
  return creditsView(account.billing === 'unlimited' ? NO_LIMIT_NANO_USD : credits.creditedNanoUsd, spentNanoUsd);
}

function creditsView(totalNanoUsd: bigint, usedNanoUsd: bigint) {
  return { data: { total_credits: usdNumber(totalNanoUsd), total_usage: usdNumber(usedNanoUsd) } };
}
