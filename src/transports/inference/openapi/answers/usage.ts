import { z } from 'zod';
import { BILLING_MODES, ROLES } from '../../../../domain/access/account.ts';
import { USAGE_ACCESS } from '../../../../domain/access/api-key.ts';
import { BUDGET_PERIODS } from '../../../../domain/money/budget.ts';

const usd = z.string().describe('A decimal amount in USD.');
const time = z.string();

const measures = {
  requests: z.int(),
  errors: z.int(),
  cache_hits: z.int(),
  input_tokens: z.int(),
  cached_input_tokens: z.int(),
  cache_write_tokens: z.int(),
  output_tokens: z.int(),
  reasoning_tokens: z.int(),
  latency_ms: z.int().nullable().describe('The average.'),
  first_byte_ms: z.int().nullable().describe('The average.'),
  cost_usd: usd,
  saved_usd: usd.describe('The savings of responses from the cache.'),
  unpriced_requests: z.int().describe('Requests with an unknown cost, which `cost_usd` lacks.'),
};
const sums = z.object(measures).meta({ id: 'KeyUsageSums' });

const limit = z
  .object({
    kind: z.enum(['key_limit', 'key_budget', 'account_budget', 'balance']),
    limit_usd: usd,
    spent_usd: usd,
    remaining_usd: usd.nullable().describe('`null` for a budget that refuses nothing.'),
    then_model: z.string().nullable().describe('The model that requests get once `then_at_usd` of a budget is spent.'),
    then_at_usd: usd.nullable(),
    per: z.enum(BUDGET_PERIODS).nullable().describe('The period of a budget.'),
    time_zone: z.string().nullable(),
    starts_at: time.nullable(),
    resets_at: time.nullable(),
  })
  .meta({ id: 'KeySpendingLimit' });

const spending = {
  spent_usd: usd.describe('Everything that was ever spent: by the key, or by the account.'),
  limit_usd: usd.nullable().describe('The limit with the least left. `null` without a limit.'),
  remaining_usd: usd.nullable().describe('What is left of that limit.'),
  resets_at: time.nullable().describe('When that limit resets.'),
  balance_usd: usd.nullable().describe('The balance of the account. `null` if the key may not read it.'),
  limits: z.array(limit).describe('Every limit that the key may know, the one with the least left first.'),
};

export const keyUsage = z
  .object({
    object: z.literal('usage'),
    scope: z.enum(['key', 'account']),
    key: z.object({ id: z.string(), name: z.string() }),
    ...spending,
    period: z.object({
      from: time,
      to: time,
      time_zone: z.string(),
      total: sums,
      days: z.array(sums.extend({ from: time, to: time })).describe('Days without usage are omitted.'),
      models: z
        .array(sums.extend({ model: z.string().nullable() }))
        .describe('The most expensive first; at most as many as `top`.'),
      other_models: sums.nullable().describe('The sum of all others. `null` if there are none.'),
    }),
  })
  .meta({ id: 'KeyUsage' });

export const keyInformation = z
  .object({
    object: z.literal('key'),
    id: z.string(),
    name: z.string(),
    preview: z.string().describe('The first and last characters of the key.'),
    usage_access: z.enum(USAGE_ACCESS),
    models: z.array(z.string()).nullable().describe('The models that it may use, with `*` for any characters.'),
    ...spending,
    requests_per_minute: z.object({
      key: z.int().nullable().describe('The limit of this key alone.'),
      account: z.int().describe('The limit for all keys of the account together.'),
    }),
    tokens_per_minute: z.int().nullable().describe('The limit for all keys of the account together.'),
    max_concurrent: z.int().nullable().describe('The limit for all keys of the account together.'),
    created_at: time,
    expires_at: time.nullable(),
    secret_expires_at: time.nullable().describe('Until when a key that was replaced by rotation is accepted.'),
    account: z
      .object({ id: z.string(), name: z.string(), role: z.enum(ROLES), billing: z.enum(BILLING_MODES) })
      .nullable()
      .describe('`null` if the key may not read its account.'),
  })
  .meta({ id: 'KeyInformation' });

export const billingUsage = z
  .object({
    object: z.literal('list'),
    daily_costs: z.array(
      z.object({
        timestamp: z.int().describe('The start of the day (UTC) in seconds since 1970.'),
        line_items: z.array(z.object({ name: z.string(), cost: z.number().describe('Cents.') })),
      }),
    ),
    total_usage: z.number().describe('Cents.'),
  })
  .meta({ id: 'BillingUsage' });

export const billingSubscription = z
  .object({
    object: z.literal('billing_subscription'),
    has_payment_method: z.boolean(),
    canceled: z.boolean(),
    soft_limit_usd: z.number(),
    hard_limit_usd: z.number().describe('What is left, and what the current month (UTC) has cost.'),
    system_hard_limit_usd: z.number(),
    access_until: z.int().describe('When the key expires, in seconds since 1970; 0 for never.'),
    plan: z.object({ id: z.string(), title: z.string() }),
    account_name: z.string().optional(),
  })
  .meta({ id: 'BillingSubscription' });

export const openRouterKey = z
  .object({
    data: z.object({
      label: z.string(),
      limit: z.number().nullable().describe('The limit of the key with the least left, in USD.'),
      limit_remaining: z.number().nullable(),
      limit_reset: z.enum(['daily', 'weekly', 'monthly']).nullable(),
      usage: z.number().describe('Everything that the key has spent, in USD.'),
      usage_daily: z.number(),
      usage_weekly: z.number(),
      usage_monthly: z.number(),
      byok_usage: z.number(),
      byok_usage_daily: z.number(),
      byok_usage_weekly: z.number(),
      byok_usage_monthly: z.number(),
      include_byok_in_limit: z.boolean(),
      is_free_tier: z.boolean(),
      is_management_key: z.boolean(),
      is_provisioning_key: z.boolean(),
      creator_user_id: z.string().nullable(),
      organization_id: z.string().nullable(),
      workspace_id: z.string().nullable(),
      allowed_data_regions: z.array(z.string()),
      free_model_daily_requests: z.object({ limit: z.int(), used: z.int(), remaining: z.int() }),
      expires_at: time.nullable(),
      rate_limit: z.object({ requests: z.int(), interval: z.string(), note: z.string() }),
    }),
  })
  .meta({ id: 'OpenRouterKey' });

export const openRouterCredits = z
  .object({ data: z.object({ total_credits: z.number(), total_usage: z.number() }) })
  .meta({ id: 'OpenRouterCredits' });

export const creditGrants = z
  .object({
    object: z.literal('credit_summary'),
    total_granted: z.number(),
    total_used: z.number(),
    total_available: z.number().describe('What is left of the limit with the least left, in USD.'),
    grants: z.object({ object: z.literal('list'), data: z.array(z.object({})) }),
  })
  .meta({ id: 'CreditGrants' });

export const deepSeekBalance = z
  .object({
    is_available: z.boolean(),
    balance_infos: z.array(
      z.object({
        currency: z.literal('USD'),
        total_balance: usd,
        granted_balance: usd,
        topped_up_balance: usd,
      }),
    ),
  })
  .meta({ id: 'DeepSeekBalance' });

export const newApiToken = z
  .object({
    code: z.literal(true),
    message: z.string(),
    data: z.object({
      object: z.literal('token_usage'),
      name: z.string(),
      total_granted: z.int().describe('In points, of which 500,000 are a dollar.'),
      total_used: z.int(),
      total_available: z.int(),
      unlimited_quota: z.boolean(),
      model_limits: z.record(z.string(), z.boolean()),
      model_limits_enabled: z.boolean(),
      expires_at: z.int().describe('Seconds since 1970; 0 for never.'),
    }),
  })
  .meta({ id: 'NewApiToken' });

export const liteLlmKey = z
  .object({
    key: z.string().describe('The first and last characters of the key.'),
    info: z.object({
      key_name: z.string(),
      key_alias: z.string(),
      spend: z.number().describe('USD, of the limit with the least left.'),
      max_budget: z.number().nullable(),
      budget_duration: z.enum(['1d', '7d', '1mo']).nullable(),
      budget_reset_at: time.nullable(),
      models: z.array(z.string()).describe('Empty for all.'),
      rpm_limit: z.int(),
      tpm_limit: z.int().nullable(),
      max_parallel_requests: z.int().nullable(),
      expires: time.nullable(),
      blocked: z.boolean(),
      created_at: time,
    }),
  })
  .meta({ id: 'LiteLlmKey' });
