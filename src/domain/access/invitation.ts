import type { MemberRole } from './member.ts';
import type { User } from './user.ts';

/**
 * What a one-time link is for: `join` makes a person (or lets one in) who was invited, `first_operator` is the link of the first start,
 * `registration` was asked for by the person, `reset` sets a new password for a user.
 */
export const INVITATION_PURPOSES = ['join', 'first_operator', 'registration', 'reset'] as const;

export type InvitationPurpose = (typeof INVITATION_PURPOSES)[number];

/** A one-time link. Its token is stored as a hash alone. */
export interface Invitation {
  /** `inv_` and random letters and digits. */
  readonly id: string;
  readonly purpose: InvitationPurpose;
  /** The address that the person will have; `null` where the person chooses. In lower case. */
  readonly email: string | null;
  /**
   * Whether accepting it proves that the address is the person's own: an operator made it for that address and hands it over, or it went
   * there by mail and nobody else has seen it.
   */
  readonly provesEmail: boolean;
  /** What the person becomes a member of, and as what; both `null` for none. */
  readonly accountId: string | null;
  readonly role: MemberRole | null;
  /** Whether the person becomes an operator. */
  readonly operator: boolean;
  /** Whose password a `reset` sets; `null` for the others. */
  readonly userId: string | null;
  /** Who made it, such as `user:…` or `command-line`. */
  readonly createdBy: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly usedAtMs: number | null;
  /** The user who was made, or who joined. */
  readonly usedBy: string | null;
  readonly revokedAtMs: number | null;
}

/**
 * Whether a link gives its bearer the user who has the link's address: the address was never verified, so that anybody may have taken it,
 * and the link proves whose it is.
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
