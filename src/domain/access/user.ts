import type { Membership } from './member.ts';

/** A person who signs in. What is billed are accounts, to which people belong. */
export interface User {
  readonly id: string;
  /** In lower case. No two users have the same. */
  readonly email: string;
  readonly name: string;
  /** Sees and does everything, in all accounts. */
  readonly operator: boolean;
  /** Whether somebody has vouched that the address is the person's own: the link came by mail alone, or an operator wrote it. */
  readonly emailVerified: boolean;
  /** Whether the person has set up codes of an authenticator (TOTP). */
  readonly twoFactorEnabled: boolean;
  readonly createdAtMs: number;
  /** Since when the person cannot sign in; `null` where they can. */
  readonly disabledAtMs: number | null;
}

export interface UserWithMemberships extends User {
  /** By account id. */
  readonly memberships: readonly Membership[];
}
