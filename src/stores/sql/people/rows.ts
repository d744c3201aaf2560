import type { Invitation, InvitationPurpose } from '../../../domain/access/invitation.ts';
import type { MemberRole, Membership, User } from '../../../domain/access/user.ts';
import type { UserSession } from '../../../engine/ports/people-store.ts';
import type { SqlRow } from '../program.ts';

/* Check constraints guarantee the column values, so these readers only bridge the drivers' differences. */

export const USER_COLUMNS = [
  'id',
  'email',
  'name',
  'operator',
  'email_verified',
  'two_factor_enabled',
  'created_at',
  'disabled_at',
] as const;

export function toUser(row: SqlRow): User {
  return {
    id: textOf(row.id),
    email: textOf(row.email),
    name: textOf(row.name),
    operator: flagOf(row.operator),
    emailVerified: flagOf(row.email_verified),
    twoFactorEnabled: flagOf(row.two_factor_enabled),
    createdAtMs: timeOf(row.created_at) ?? 0,
    disabledAtMs: timeOf(row.disabled_at),
  };
}

export function toMembership(row: SqlRow): Membership {
  return { accountId: textOf(row.account_id), role: toRole(row) };
}

export function toRole(row: SqlRow): MemberRole {
  return textOf(row.role) as MemberRole;
}

export const SESSION_COLUMNS = [
  'id',
  'user_id',
  'created_at',
  'expires_at',
  'ip_address',
  'user_agent',
  'second_factor',
  'second_factor_at_ms',
] as const;

export function toSession(row: SqlRow): UserSession {
  return {
    id: textOf(row.id),
    userId: textOf(row.user_id),
    createdAtMs: timeOf(row.created_at) ?? 0,
    expiresAtMs: timeOf(row.expires_at) ?? 0,
    address: textOf(row.ip_address) || null,
    userAgent: textOf(row.user_agent) || null,
    secondFactor: flagOf(row.second_factor),
    secondFactorAtMs: numberOrNull(row.second_factor_at_ms),
  };
}

export const INVITATION_COLUMNS = [
  'id',
  'token_hash',
  'purpose',
  'email',
  'proves_email',
  'account_id',
  'role',
  'operator',
  'user_id',
  'created_by',
  'created_at_ms',
  'expires_at_ms',
  'used_at_ms',
  'used_by',
  'revoked_at_ms',
] as const;

export function toInvitation(row: SqlRow): Invitation {
  return {
    id: textOf(row.id),
    purpose: textOf(row.purpose) as InvitationPurpose,
    email: textOrNull(row.email),
    provesEmail: flagOf(row.proves_email),
    accountId: textOrNull(row.account_id),
    role: textOrNull(row.role) as MemberRole | null,
    operator: flagOf(row.operator),
    userId: textOrNull(row.user_id),
    createdBy: textOf(row.created_by),
    createdAtMs: Number(row.created_at_ms),
    expiresAtMs: Number(row.expires_at_ms),
    usedAtMs: numberOrNull(row.used_at_ms),
    usedBy: textOrNull(row.used_by),
    revokedAtMs: numberOrNull(row.revoked_at_ms),
  };
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function numberOrNull(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value);
}

/** SQLite stores booleans as 0 and 1. */
function flagOf(value: unknown): boolean {
  return value === true || value === 1 || value === 1n;
}

/** SQLite stores RFC 3339 text; PostgreSQL's driver returns dates. */
function timeOf(value: unknown): number | null {
  if (value instanceof Date) return value.getTime();
  return typeof value === 'string' ? Date.parse(value) : null;
}
