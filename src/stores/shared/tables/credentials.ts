import type { CaptureMode } from '../../../domain/access/account.ts';
import {
  type Credential,
  type CredentialKind,
  DEFAULT_USAGE_ACCESS,
  type PreviousSecret,
  type UsageAccess,
} from '../../../domain/access/api-key.ts';
import { ALL_SCOPES, type GrantedScope } from '../../../domain/access/scopes.ts';
import type { Origin } from '../../../domain/catalog/model.ts';
import { type BudgetColumns, fromBudgetColumns, toBudgetColumns } from './budget-columns.ts';
import { fromJson, toNullableJson } from './encoding.ts';

export interface CredentialRow extends BudgetColumns {
  readonly account_id: string;
  readonly kind: CredentialKind;
  readonly id: string;
  readonly name: string;
  readonly secret_hash: string;
  readonly preview: string;
  readonly previous_secret_hash: string | null;
  readonly previous_secret_ends_at_ms: number | null;
  readonly scopes: string | null;
  /** Decimal digits, since an amount may exceed 2^53, where a JavaScript number loses precision. */
  readonly limit_nano_usd: string | null;
  readonly models: string | null;
  readonly requests_per_minute: number | null;
  readonly expires_at_ms: number | null;
  readonly created_at_ms: number;
  readonly revoked_at_ms: number | null;
  readonly origin: Origin;
  readonly created_by: string | null;
  /** `NULL` for the default, and for a management token. */
  readonly usage_access: UsageAccess | null;
  readonly guards: string | null;
  readonly capture: CaptureMode | null;
}

export function toCredentialRow(credential: Credential): CredentialRow {
  return {
    account_id: credential.accountId,
    kind: credential.kind,
    id: credential.id,
    name: credential.name,
    secret_hash: credential.secretHash,
    preview: credential.preview,
    previous_secret_hash: credential.previousSecret?.secretHash ?? null,
    previous_secret_ends_at_ms: credential.previousSecret?.endsAtMs ?? null,
    scopes: toNullableJson(credential.scopes),
    limit_nano_usd: credential.limitNanoUsd === null ? null : String(credential.limitNanoUsd),
    ...toBudgetColumns(credential),
    models: toNullableJson(credential.models),
    requests_per_minute: credential.requestsPerMinute,
    expires_at_ms: credential.expiresAtMs,
    created_at_ms: credential.createdAtMs,
    revoked_at_ms: credential.revokedAtMs,
    origin: credential.origin,
    created_by: credential.createdBy,
    usage_access: credential.usageAccess,
    guards: toNullableJson(credential.guards ?? null),
    capture: credential.capture,
  };
}

export function fromCredentialRow(row: CredentialRow): Credential {
  return {
    id: row.id,
    accountId: row.account_id,
    kind: row.kind,
    name: row.name,
    secretHash: row.secret_hash,
    preview: row.preview,
    previousSecret: previousSecretIn(row),
    scopes: scopesIn(row),
    limitNanoUsd: row.limit_nano_usd === null ? null : BigInt(row.limit_nano_usd),
    ...fromBudgetColumns(row),
    models: row.models === null ? null : fromJson<readonly string[]>(row.models),
    requestsPerMinute: row.requests_per_minute,
    expiresAtMs: row.expires_at_ms,
    createdAtMs: row.created_at_ms,
    revokedAtMs: row.revoked_at_ms,
    origin: row.origin,
    createdBy: row.created_by,
    usageAccess: row.kind === 'management' ? null : (row.usage_access ?? DEFAULT_USAGE_ACCESS),
    ...(row.guards !== null && { guards: fromJson<string[]>(row.guards) }),
    capture: row.capture,
  };
}

function previousSecretIn({
  previous_secret_hash: secretHash,
  previous_secret_ends_at_ms: endsAtMs,
}: CredentialRow): PreviousSecret | null {
  return secretHash === null ? null : { secretHash, endsAtMs: endsAtMs ?? 0 };
}

function scopesIn({ kind, scopes }: CredentialRow): readonly GrantedScope[] | null {
  if (scopes !== null) return fromJson<readonly GrantedScope[]>(scopes);
  return kind === 'management' ? ALL_SCOPES : null;
}
