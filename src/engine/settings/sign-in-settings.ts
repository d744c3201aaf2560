import type { MemberRole } from '../../domain/access/member.ts';

export const REGISTRATIONS = ['closed', 'open'] as const;
export const SECOND_FACTOR_RULES = ['none', 'operators', 'all'] as const;

/** An OpenID Connect issuer for signing in. */
export interface OidcProvider {
  /** Part of the sign-in addresses: `…/callback/<id>`. */
  readonly id: string;
  readonly name: string;
  /** Its discovery document is at `<issuer>/.well-known/openid-configuration`. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes: readonly string[];
  /** Whether unknown people become users. Otherwise only invited people can sign in. */
  readonly mayCreateUsers: boolean;
  /** The account that new users join, and their role; `null` for none. */
  readonly joins: { readonly accountId: string; readonly role: MemberRole } | null;
  /** Whether the issuer itself requires a second factor, so that its sign-ins count as made with one. */
  readonly secondFactor: boolean;
}

export interface SignInSettings {
  /** `open` lets anyone request a link by mail, which creates an account. */
  readonly registration: (typeof REGISTRATIONS)[number];
  /** Who must use a second factor before the session may do anything. */
  readonly requireTwoFactor: (typeof SECOND_FACTOR_RULES)[number];
  readonly sessionMs: number;
  readonly invitationMs: number;
  readonly oidc: readonly OidcProvider[];
}

export const DEFAULT_SIGN_IN: SignInSettings = {
  registration: 'closed',
  requireTwoFactor: 'none',
  sessionMs: 12 * 3_600_000,
  invitationMs: 7 * 86_400_000,
  oidc: [],
};
