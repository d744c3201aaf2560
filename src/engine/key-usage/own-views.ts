import type { Principal } from '../../domain/access/principal.ts';
import { thresholdOf } from '../../domain/money/budget-in-force.ts';
import { formatNanoUsd } from '../../domain/money/nano-usd.ts';
import { measuresView } from '../admin/usage/usage-measures.ts';
import { isoTime, timeOrNull } from '../admin/view-fields.ts';
import { accountRequests, accountTokens } from '../limits/principal-quota.ts';
import type { PeriodSums } from './read-sums.ts';
import type { Spending, SpendingLimit } from './spending.ts';
import type { UsageQueryFields } from './usage-query.ts';

/* The gateway's own shapes. Amounts are decimal texts in USD, times in RFC 3339 and UTC. */

/** Returns the body of `GET /v1/usage`. */
export function usageView(
  { credential }: Principal,
  { scope, timeZone }: Pick<UsageQueryFields, 'scope' | 'timeZone'>,
  { spending, sums }: { readonly spending: Spending; readonly sums: PeriodSums },
) {
  const { span, total, days, models, otherModels } = sums;
  return {
    object: 'usage',
    scope,
    key: { id: credential.id, name: credential.name },
    ...spendingView(spending),
    period: {
      ...{ from: isoTime(span.fromMs), to: isoTime(span.toMs), time_zone: timeZone },
      total: measuresView(total),
      days: days.map((day) => ({
        ...{ from: isoTime(day.span.fromMs), to: isoTime(day.span.toMs) },
        ...measuresView(day.measures),
      })),
      models: models.map(({ modelId, measures }) => ({ model: modelId || null, ...measuresView(measures) })),
      other_models: otherModels && measuresView(otherModels),
    },
  };
}

/** Returns the body of `GET /v1/key`. */
export function keyView(principal: Principal, spending: Spending) {
  const { account, credential, secretEndsAtMs } = principal;
  const { usageAccess } = credential;
  return {
    object: 'key',
    id: credential.id,
    name: credential.name,
    preview: credential.preview,
    usage_access: usageAccess,
    models: credential.models,
    ...spendingView(spending),
    requests_per_minute: {
      key: credential.requestsPerMinute,
      account: accountRequests(account).limit,
    },
    tokens_per_minute: accountTokens(account)?.limit ?? null,
    max_concurrent: account.maxConcurrent,
    created_at: isoTime(credential.createdAtMs),
    expires_at: timeOrNull(credential.expiresAtMs),
    // A secret that was replaced works until then.
    secret_expires_at: timeOrNull(secretEndsAtMs ?? null),
    account:
      usageAccess === 'account'
        ? { id: account.id, name: account.name, role: account.role, billing: account.billing }
        : null,
  };
}

function spendingView({ spentNanoUsd, limits, openBudgets, credits }: Spending) {
  const [nearest] = limits;
  return {
    spent_usd: formatNanoUsd(spentNanoUsd),
    limit_usd: nearest === undefined ? null : formatNanoUsd(nearest.limitNanoUsd),
    remaining_usd: nearest === undefined ? null : formatNanoUsd(nearest.remainingNanoUsd),
    resets_at: timeOrNull(nearest?.period?.window.endsAtMs ?? null),
    balance_usd: credits === null ? null : formatNanoUsd(credits.balanceNanoUsd),
    limits: [
      ...limits.map((limit) => limitView(limit, limit.remainingNanoUsd)),
      ...openBudgets.map((budget) => limitView(budget, null)),
    ],
  };
}

/** @param remainingNanoUsd `null` for a budget that refuses nothing */
function limitView(
  { kind, limitNanoUsd, spentNanoUsd, period }: Omit<SpendingLimit, 'remainingNanoUsd'>,
  remainingNanoUsd: bigint | null,
) {
  const budget = period?.budget;
  return {
    kind,
    limit_usd: formatNanoUsd(limitNanoUsd),
    spent_usd: formatNanoUsd(spentNanoUsd),
    remaining_usd: remainingNanoUsd === null ? null : formatNanoUsd(remainingNanoUsd),
    then_model: budget?.reroute?.modelId ?? null,
    then_at_usd: budget?.reroute === undefined ? null : formatNanoUsd(thresholdOf(budget)),
    per: budget?.per ?? null,
    time_zone: budget?.timeZone ?? null,
    starts_at: timeOrNull(period?.window.startsAtMs ?? null),
    resets_at: timeOrNull(period?.window.endsAtMs ?? null),
  };
}
