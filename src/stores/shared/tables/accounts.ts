import type { Account, BillingMode, CaptureMode, Role } from '../../../domain/access/account.ts';
import type { BillingDetails } from '../../../domain/access/billing-details.ts';
import type { QuotaOverrides } from '../../../domain/access/object-quotas.ts';
import type { CacheOverrides } from '../../../domain/cache/cache.ts';
import type { Origin } from '../../../domain/catalog/model.ts';
import type { Strategy } from '../../../domain/routing/order.ts';
import { type BudgetColumns, fromBudgetColumns, toBudgetColumns } from './budget-columns.ts';
import { type Flag, fromJson, toFlag, toNullableJson } from './encoding.ts';

export interface AccountRow extends BudgetColumns {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly admin: Flag;
  readonly billing: BillingMode;
  readonly requests_per_minute: number | null;
  readonly tokens_per_minute: number | null;
  readonly max_concurrent: number | null;
  readonly strategy: Strategy | null;
  readonly cache: string | null;
  readonly capture: CaptureMode;
  readonly capture_days: number | null;
  readonly quotas: string | null;
  readonly billing_details: string | null;
  readonly fallbacks: string | null;
  readonly guards: string | null;
  readonly created_at_ms: number;
  readonly archived_at_ms: number | null;
  readonly origin: Origin;
}

export function toAccountRow(account: Account): AccountRow {
  return {
    id: account.id,
    name: account.name,
    role: account.role,
    admin: toFlag(account.admin),
    billing: account.billing,
    requests_per_minute: account.requestsPerMinute,
    tokens_per_minute: account.tokensPerMinute,
    max_concurrent: account.maxConcurrent,
    ...toBudgetColumns(account),
    strategy: account.strategy,
    cache: toNullableJson(account.cache),
    capture: account.capture,
    capture_days: account.captureDays,
    quotas: toNullableJson(account.quotas),
    billing_details: toNullableJson(account.billingDetails),
    fallbacks: account.fallbacks.length === 0 ? null : toNullableJson(account.fallbacks),
    guards: toNullableJson(account.guards ?? null),
    created_at_ms: account.createdAtMs,
    archived_at_ms: account.archivedAtMs,
    origin: account.origin,
  };
}

export function fromAccountRow(row: AccountRow): Account {
  return {
    id: row.id,
    name: row.name,
    role: row.role,
    admin: row.admin === 1,
    billing: row.billing,
    requestsPerMinute: row.requests_per_minute,
    tokensPerMinute: row.tokens_per_minute,
    maxConcurrent: row.max_concurrent,
    ...fromBudgetColumns(row),
    strategy: row.strategy,
    cache: row.cache === null ? null : fromJson<CacheOverrides>(row.cache),
    capture: row.capture,
    captureDays: row.capture_days,
    quotas: row.quotas === null ? null : fromJson<QuotaOverrides>(row.quotas),
    billingDetails: row.billing_details === null ? null : fromJson<BillingDetails>(row.billing_details),
    fallbacks: row.fallbacks === null ? [] : fromJson<string[]>(row.fallbacks),
    ...(row.guards !== null && { guards: fromJson<string[]>(row.guards) }),
    createdAtMs: row.created_at_ms,
    archivedAtMs: row.archived_at_ms,
    origin: row.origin,
  };
}
