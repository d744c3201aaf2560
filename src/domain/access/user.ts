/** A person who signs in. Accounts, to which people belong, are billed. */
export interface User {
  readonly id: string;
  /** The address in lower case, unique among users. */
  readonly email: string;
  readonly name: string;
  /** Whether the person may see and do everything, in all accounts. */
  readonly operator: boolean;
  /** Whether the address is verified: the link was sent by mail alone, or an operator entered it. */
  readonly emailVerified: boolean;
  /** Whether the person has set up authenticator codes (TOTP). */
  readonly twoFactorEnabled: boolean;
  readonly createdAtMs: number;
  /** Since when the person cannot sign in; `null` if they can. */
  readonly disabledAtMs: number | null;
}

export interface UserWithMemberships extends User {
  /** Memberships by account id. */
  readonly memberships: readonly Membership[];
}

/** The roles of an account's members, most powerful first: each may do everything that later ones may. */
export const MEMBER_ROLES = ['owner', 'member', 'viewer'] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];

export interface Membership {
  readonly accountId: string;
  readonly role: MemberRole;
}

/** Returns whether `role` includes `wanted`. */
export function isAtLeast(role: MemberRole, wanted: MemberRole): boolean {
  return MEMBER_ROLES.indexOf(role) <= MEMBER_ROLES.indexOf(wanted);
}

/**
 * Returns the canonical spelling in which an address is stored, compared and counted: composed characters (NFC), in lower case.
 * Mail servers treat other spellings as the same mailbox, so each of them would otherwise be a separate user.
 */
export function canonicalEmail(address: string): string {
  return address.normalize('NFC').toLowerCase();
}
