import type { Membership } from './member.ts';
import type { GrantedScope } from './scopes.ts';

/** A person with a session. */
export interface PersonActor {
  readonly kind: 'person';
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  /** May do everything, in all accounts. */
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
  /** What it may do, as far as its account may. */
  readonly scopes: readonly GrantedScope[];
  /** When it ends; `null` for never. */
  readonly expiresAtMs: number | null;
  /** Its account is an `admin`: it may do what its scopes say in all accounts. */
  readonly isOperator: boolean;
}

/** Who stands behind a request for the management API. */
export type Requester = PersonActor | TokenActor;

/** Who has changed something without a request; `name` is the system's user, the file, or what the gateway did it for. */
export interface LocalActor {
  readonly kind: 'command_line' | 'file' | 'environment' | 'gateway';
  readonly name: string;
}

/** Who does something. */
export type Actor = Requester | LocalActor;

export const ACTOR_KINDS = ['person', 'token', 'command_line', 'file', 'environment', 'gateway'] as const;
