import type { GrantedScope } from './scopes.ts';
import type { Membership } from './user.ts';

/** A person with a session. */
export interface PersonActor {
  readonly kind: 'person';
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  /** Whether the person may do everything, in all accounts. */
  readonly isOperator: boolean;
  readonly memberships: readonly Membership[];
  readonly sessionId: string;
  /** When a second factor was last used in this session; `null` for never. */
  readonly secondFactorAtMs: number | null;
}

/** A program with an `mt-` token. */
export interface TokenActor {
  readonly kind: 'token';
  readonly accountId: string;
  readonly tokenId: string;
  readonly name: string;
  /** The permissions of the token, within the limits of its account. */
  readonly scopes: readonly GrantedScope[];
  /** When it expires; `null` for never. */
  readonly expiresAtMs: number | null;
  /** Whether its account is an `admin`, so that its scopes apply to all accounts. */
  readonly isOperator: boolean;
}

/** The sender of a management API request. */
export type Requester = PersonActor | TokenActor;

/** The author of a change without a request; `name` is the system user, the file, or the reason why the gateway made it. */
export interface LocalActor {
  readonly kind: 'command_line' | 'file' | 'environment' | 'gateway';
  readonly name: string;
}

/** The author of an action. */
export type Actor = Requester | LocalActor;

export const ACTOR_KINDS = ['person', 'token', 'command_line', 'file', 'environment', 'gateway'] as const;
