import { z } from 'zod';
import { type Account, BILLING_MODES, CAPTURE_MODES, ROLES } from '../../../domain/access/account.ts';
import { flag, integer, listOf, MAP, oneOf } from '../../../providers/shared/file-fields.ts';
import type { ConfiguredAccount } from '../configuration/configuration.ts';
import { billingDetailsFields, billingDetailsFrom, billingDetailsSchema } from './billing-details.ts';
import { cacheOverrideFields, cacheOverridesFrom, cacheOverridesSchema } from './cache-section.ts';
import { keyFrom, keySchema, managementTokenSchema, tokenFrom } from './credential.ts';
import {
  amount,
  budgetFields,
  budgetFrom,
  budgetSchema,
  fallbacks,
  identifier,
  LARGEST_LIMIT,
  limitUpTo,
  name,
  strategy,
} from './fields.ts';
import { guardIds, guardsMember } from './guard.ts';
import { quotaFields, quotaOverridesFrom, quotasSchema } from './quota-section.ts';

/** The longest general retention of captures is a year, too (docs/retention.md). */
const MOST_CAPTURE_DAYS = 365;

/** An account as configuration files and the verbs of administration write it (docs/accounts.md). */
export const accountSchema = z.strictObject(
  {
    id: identifier,
    name: name.nullish(),
    role: oneOf(ROLES).nullish(),
    admin: flag.nullish(),
    billing: oneOf(BILLING_MODES).nullish(),
    balance_usd: amount.nullish(),
    requests_per_minute: limitUpTo(LARGEST_LIMIT.requests_per_minute).nullish(),
    tokens_per_minute: limitUpTo(LARGEST_LIMIT.tokens_per_minute).nullish(),
    max_concurrent: limitUpTo(LARGEST_LIMIT.max_concurrent).nullish(),
    budget: budgetSchema.nullish(),
    strategy: strategy.nullish(),
    cache: cacheOverridesSchema.nullish(),
    capture: oneOf(CAPTURE_MODES).nullish(),
    capture_days: integer(
      `must be a whole number of days from 1 to ${MOST_CAPTURE_DAYS}`,
      1,
      MOST_CAPTURE_DAYS,
    ).nullish(),
    quotas: quotasSchema.nullish(),
    billing_details: billingDetailsSchema.nullish(),
    fallbacks: fallbacks.nullish(),
    guards: guardIds.nullish(),
    keys: listOf(keySchema, 'keys').optional(),
    management_tokens: listOf(managementTokenSchema, 'management tokens').optional(),
  },
  MAP,
);

/** The fields that the verbs accept; keys and tokens have verbs of their own. */
export const newAccountSchema = accountSchema.omit({ keys: true, management_tokens: true });

/** Returns a checked account with every default filled in. */
export function accountFrom(account: z.output<typeof accountSchema>): ConfiguredAccount {
  return {
    id: account.id,
    name: account.name ?? account.id,
    role: account.role ?? 'User',
    admin: account.admin ?? false,
    billing: account.billing ?? 'prepaid',
    requestsPerMinute: account.requests_per_minute ?? null,
    tokensPerMinute: account.tokens_per_minute ?? null,
    maxConcurrent: account.max_concurrent ?? null,
    budget: budgetFrom(account.budget),
    strategy: account.strategy ?? null,
    cache: cacheOverridesFrom(account.cache ?? null),
    capture: account.capture ?? 'none',
    captureDays: account.capture_days ?? null,
    quotas: quotaOverridesFrom(account.quotas ?? null),
    billingDetails: billingDetailsFrom(account.billing_details),
    fallbacks: account.fallbacks ?? [],
    ...guardsMember(account.guards),
    openingBalanceNanoUsd: account.balance_usd ?? null,
    credentials: [
      ...(account.keys ?? []).map(({ id, secret, ...key }) => ({ id, secret, ...keyFrom(key, id) })),
      ...(account.management_tokens ?? []).map(({ id, secret, ...token }) => ({ id, secret, ...tokenFrom(token, id) })),
    ],
  };
}

/** Returns an account in the form of its schema. */
export function accountFields(account: Omit<Account, 'createdAtMs' | 'archivedAtMs' | 'origin'>) {
  return {
    id: account.id,
    name: account.name,
    role: account.role,
    admin: account.admin,
    billing: account.billing,
    requests_per_minute: account.requestsPerMinute,
    tokens_per_minute: account.tokensPerMinute,
    max_concurrent: account.maxConcurrent,
    budget: account.budget && budgetFields(account.budget),
    strategy: account.strategy,
    cache: account.cache && cacheOverrideFields(account.cache),
    capture: account.capture,
    capture_days: account.captureDays,
    quotas: account.quotas && quotaFields(account.quotas),
    billing_details: account.billingDetails && billingDetailsFields(account.billingDetails),
    fallbacks: account.fallbacks,
    guards: account.guards ?? [],
  };
}
