import { type Invitation, invitationState } from '../../../domain/access/invitation.ts';
import type { MemberRole, UserWithMemberships } from '../../../domain/access/user.ts';
import type { AuditFields } from '../../ports/audit-log.ts';
import type { UserSession } from '../../ports/people-store.ts';
import { isoTime, timeOrNull } from '../view-fields.ts';

/* People as JSON, without passwords, tokens or hashes of either. */

/** Returns what operators can change of a user. The audit log shows it, and ETags are computed from it. */
export function userState(user: UserWithMemberships): AuditFields {
  return { email: user.email, name: user.name, operator: user.operator, disabled_at: timeOrNull(user.disabledAtMs) };
}

export function userView(user: UserWithMemberships) {
  return {
    object: 'user' as const,
    id: user.id,
    email: user.email,
    email_verified: user.emailVerified,
    name: user.name,
    operator: user.operator,
    two_factor_enabled: user.twoFactorEnabled,
    memberships: user.memberships.map(({ accountId, role }) => ({ account: accountId, role })),
    created_at: isoTime(user.createdAtMs),
    disabled_at: timeOrNull(user.disabledAtMs),
  };
}

/** Returns a person as the other members of an account see them. */
export function memberView(user: UserWithMemberships, accountId: string) {
  const state = memberState(user, accountId, roleOf(user, accountId));
  return { object: 'member' as const, ...state, disabled: user.disabledAtMs !== null };
}

/** Returns the role of a member of the account. */
export function roleOf({ memberships }: UserWithMemberships, accountId: string): MemberRole {
  const role = memberships.find((one) => one.accountId === accountId)?.role ?? null;
  // The caller has found the user as a member. `null` means that the membership was removed between two reads.
  return role as MemberRole;
}

export function memberState<Role extends MemberRole | null>(user: UserWithMemberships, accountId: string, role: Role) {
  return { id: user.id, email: user.email, name: user.name, account: accountId, role };
}

export function invitationFields(invitation: Invitation) {
  return {
    purpose: invitation.purpose,
    email: invitation.email,
    account: invitation.accountId,
    role: invitation.role,
    operator: invitation.operator,
    user: invitation.userId,
    expires_at: isoTime(invitation.expiresAtMs),
  };
}

export function invitationView(invitation: Invitation, nowMs: number) {
  return {
    object: 'invitation' as const,
    id: invitation.id,
    ...invitationFields(invitation),
    state: invitationState(invitation, nowMs),
    created_by: invitation.createdBy,
    created_at: isoTime(invitation.createdAtMs),
    used_at: timeOrNull(invitation.usedAtMs),
    used_by: invitation.usedBy,
    revoked_at: timeOrNull(invitation.revokedAtMs),
  };
}

export function sessionView(session: UserSession, currentId: string | null) {
  return {
    object: 'session' as const,
    id: session.id,
    current: session.id === currentId,
    address: session.address,
    // A header can have 64 KiB, but no browser's name is this long.
    user_agent: session.userAgent?.slice(0, 500) ?? null,
    second_factor: session.secondFactor,
    created_at: isoTime(session.createdAtMs),
    expires_at: isoTime(session.expiresAtMs),
  };
}
