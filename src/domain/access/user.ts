import type { Membership } from './member.ts';

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
