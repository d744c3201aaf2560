import type { MemberRole } from '../../domain/access/member.ts';

export const REGISTRATIONS = ['closed', 'open'] as const;
export const SECOND_FACTOR_RULES = ['none', 'operators', 'all'] as const;

/** An OpenID Connect issuer at which people may sign in. */
export interface OidcProvider {
  /** In the addresses of sign-in: `…/callback/<id>`. */
  readonly id: string;
  readonly name: string;
  /** Its discovery document is at `<issuer>/.well-known/openid-configuration`. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes: readonly string[];
  /** Whether who is unknown here becomes a user; else only people who were invited can sign in. */
  readonly mayCreateUsers: boolean;
  /** What new users become a member of, and as what; `null` for none. */
  readonly joins: { readonly accountId: string; readonly role: MemberRole } | null;
  /** Whether it asks for a second factor itself, so that its sign-ins count as made with one. */
  readonly secondFactor: boolean;
}

export interface SignInSettings {
  /** `open`: everybody may ask for a link by mail, and gets an account of their own. */
  readonly registration: (typeof REGISTRATIONS)[number];
  /** Who must have used a second factor before the session may do anything. */
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
