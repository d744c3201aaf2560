import type { MemberRole, User } from './user.ts';

/**
 * The purpose of a one-time link: `join` creates an invited user (or signs one in), `first_operator` is the link of the first
 * start, `registration` was requested by the person, and `reset` sets a user's new password.
 */
export const INVITATION_PURPOSES = ['join', 'first_operator', 'registration', 'reset'] as const;

export type InvitationPurpose = (typeof INVITATION_PURPOSES)[number];

/** A one-time link. Only the hash of its token is stored. */
export interface Invitation {
  /** `inv_` and random letters and digits. */
  readonly id: string;
  readonly purpose: InvitationPurpose;
  /** The address that the user will have, in lower case; `null` if the person chooses it. */
  readonly email: string | null;
  /**
   * Whether accepting it proves that the address belongs to the person: an operator made it for that address and hands it over,
   * or it was sent there by mail and nobody else has seen it.
   */
  readonly provesEmail: boolean;
  /** The account that the person joins, and the role; both `null` for none. */
  readonly accountId: string | null;
  readonly role: MemberRole | null;
  /** Whether the person becomes an operator. */
  readonly operator: boolean;
  /** The user whose password a `reset` sets; `null` for other purposes. */
  readonly userId: string | null;
  /** The creator, such as `user:…` or `command-line`. */
  readonly createdBy: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly usedAtMs: number | null;
  /** The user who was created or who joined. */
  readonly usedBy: string | null;
  readonly revokedAtMs: number | null;
}

/**
 * Returns whether a link lets its bearer take over the user with the link's address: the address was never verified, so anybody
 * may have registered it, and the link proves ownership.
 */
export function mayTakeOver(
  { purpose, email, provesEmail }: Pick<Invitation, 'purpose' | 'email' | 'provesEmail'>,
  user: Pick<User, 'email' | 'emailVerified' | 'disabledAtMs'>,
): boolean {
  const isOpen = !user.emailVerified && user.disabledAtMs === null;
  return isOpen && purpose === 'join' && provesEmail && email === user.email;
}

export type InvitationState = 'open' | 'used' | 'revoked' | 'expired';

export function invitationState(
  { usedAtMs, revokedAtMs, expiresAtMs }: Pick<Invitation, 'usedAtMs' | 'revokedAtMs' | 'expiresAtMs'>,
  nowMs: number,
): InvitationState {
  if (usedAtMs !== null) return 'used';
  if (revokedAtMs !== null) return 'revoked';
  return expiresAtMs <= nowMs ? 'expired' : 'open';
}
