import type { Invitation, InvitationPurpose } from '../../domain/access/invitation.ts';
import type { MemberRole, User, UserWithMemberships } from '../../domain/access/user.ts';
import type { NewAuditEntry } from './audit-log.ts';

/**
 * Returns the audit log entries for a change, which are written in the same transaction. An exception rolls the change back. May be called
 * again after a rollback.
 */
export type Audit<Result> = (result: Result) => readonly NewAuditEntry[];

/** A user to be created. */
export interface NewUser {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  /** The output of the password hasher. */
  readonly passwordHash: string;
}

/** A session, without its token or the token's hash. */
export interface UserSession {
  readonly id: string;
  readonly userId: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly address: string | null;
  readonly userAgent: string | null;
  /** Whether a second factor was used in this session. */
  readonly secondFactor: boolean;
  /** When a second factor was last used; `null` if never. */
  readonly secondFactorAtMs: number | null;
}

export interface Acceptance {
  readonly tokenHash: string;
  readonly atMs: number;
  /** The user to create, or the existing user who joins. */
  readonly person: { readonly newUser: NewUser } | { readonly userId: string };
  /** Replaces the invitation's membership: the account created for a registration. */
  readonly membership?: { readonly accountId: string; readonly role: MemberRole };
  /** The member limit of the account; this person must fit into it. `null` for no limit. */
  readonly mostMembers?: number | null;
}

export interface PasswordReset {
  readonly tokenHash: string;
  readonly passwordHash: string;
  readonly atMs: number;
}

/**
 * The sign-in methods removed from a user, since they may belong to somebody who registered the address before its owner did. The
 * password is not among them; it is replaced.
 */
export interface RemovedCredentials {
  readonly passkeys: number;
  /** Linked identity providers. */
  readonly issuers: number;
  /** Whether there was an authenticator, with its backup codes. */
  readonly twoFactor: boolean;
  readonly sessions: number;
}

export interface PasswordResetDone {
  readonly user: User;
  /** `null` if the address was already verified, so that only sessions were removed. */
  readonly removed: RemovedCredentials | null;
}

export type Accepted =
  | {
      readonly outcome: 'accepted';
      readonly userId: string;
      readonly invitation: Invitation;
      readonly isNew: boolean;
      /** Not `null` if the address belonged to an unverified user, who was taken over by the address's owner. */
      readonly removed: RemovedCredentials | null;
    }
  /** The link was used or revoked, has expired, or never existed. */
  | { readonly outcome: 'gone' }
  /** Another user has the address. */
  | { readonly outcome: 'email_taken' }
  /** The account has reached its member limit. */
  | { readonly outcome: 'full' }
  /** The joining user has not verified the address. */
  | { readonly outcome: 'unverified' };

export interface UserChange {
  readonly name?: string;
  readonly operator?: boolean;
  /** A number disables the user and ends the sessions; `null` enables the user. */
  readonly disabledAtMs?: number | null;
}

export type UserChanged =
  | { readonly outcome: 'changed'; readonly before: UserWithMemberships; readonly after: UserWithMemberships }
  | { readonly outcome: 'not_found' }
  /** No operator who can sign in would remain. */
  | { readonly outcome: 'last_operator' };

export type MembershipChanged =
  | { readonly outcome: 'changed'; readonly user: UserWithMemberships; readonly before: MemberRole | null }
  | { readonly outcome: 'not_found' }
  /** No owner who can sign in would remain in the account. */
  | { readonly outcome: 'last_owner' };

export interface UserPage {
  readonly limit: number;
  /** The `email` of the last user of the previous page. */
  readonly after: string | null;
  /** Restricts the page to members of this account. */
  readonly accountId?: string;
  /** Restricts the page to users whose address or name contains this text, in any case. */
  readonly search?: string;
}

export interface InvitationPage {
  readonly limit: number;
  /** The `id` of the last invitation of the previous page. */
  readonly after: string | null;
  readonly accountId?: string;
  readonly purposes?: readonly InvitationPurpose[];
  /** Restricts the page to those that can be accepted at this time. */
  readonly openAtMs?: number;
}

/**
 * Stores users, memberships, one-time links and sessions, shared by all nodes on one database. Changes are durable when their promise
 * resolves.
 */
export interface PeopleStore {
  user(id: string): Promise<UserWithMemberships | null>;
  /** @param email in lower case */
  userByEmail(email: string): Promise<UserWithMemberships | null>;
  /** Resolves to users sorted by address. */
  users(page: UserPage): Promise<readonly UserWithMemberships[]>;
  /** Resolves to the users with these ids, in any order; unknown ids are left out. */
  usersOf(ids: readonly string[]): Promise<readonly UserWithMemberships[]>;
  /** Records that a user was active at this time, unless a later time is stored. */
  noteActivity(userId: string, atMs: number): Promise<void>;
  /** Resolves to the number of members per account; accounts without members are missing. */
  countMembers(accountIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Changes a user. Disabling ends the sessions in the same transaction. */
  changeUser(id: string, change: UserChange, atMs: number, audit?: Audit<UserChanged>): Promise<UserChanged>;

  /**
   * Adds a member, changes the role, or removes the membership if the role is `null`.
   *
   * @param keepOwner refuses a change that leaves the account without an owner
   */
  setMembership(
    membership: { readonly userId: string; readonly accountId: string; readonly role: MemberRole | null },
    options: { readonly atMs: number; readonly keepOwner: boolean },
    audit?: Audit<MembershipChanged>,
  ): Promise<MembershipChanged>;

  /**
   * Adds a link. Resolves to whether it was added.
   *
   * @param mostOpen the most open links of its account, counted when the link is created; `null` for no limit
   */
  addInvitation(
    invitation: Invitation,
    tokenHash: string,
    audit?: Audit<boolean>,
    mostOpen?: number | null,
  ): Promise<boolean>;
  /** Adds the link for the first operator, unless there is an operator or an open link of this kind. Resolves to whether it was added. */
  addFirstInvitation(invitation: Invitation, tokenHash: string, audit?: Audit<boolean>): Promise<boolean>;
  invitation(id: string): Promise<Invitation | null>;
  invitationByToken(tokenHash: string): Promise<Invitation | null>;
  /** Resolves to invitations from newest to oldest. */
  invitations(page: InvitationPage): Promise<readonly Invitation[]>;
  /** Revokes an invitation. Resolves to whether it was open. */
  revokeInvitation(id: string, atMs: number, audit?: Audit<boolean>): Promise<boolean>;
  /** Revokes all open links of a purpose, of one user if given. Resolves to the number revoked. */
  revokeInvitations(purpose: InvitationPurpose, userId: string | null, atMs: number): Promise<number>;
  /**
   * Uses a link to create a user or add a member, atomically. A `join` link that verifies its address takes over an unverified user with
   * that address and sets the new name and password. A user with an unverified address cannot join.
   */
  accept(acceptance: Acceptance, audit?: Audit<Accepted>): Promise<Accepted>;
  /**
   * Uses a `reset` link: sets the password and ends all of the user's sessions. This also verifies the address: a user who had not verified
   * it loses all other sign-in methods. `null` if the link can no longer be used.
   */
  acceptReset(reset: PasswordReset, audit?: Audit<PasswordResetDone | null>): Promise<PasswordResetDone | null>;

  /** Resolves to an unexpired session with the stored user, disabled or not. */
  sessionByToken(
    tokenHash: string,
    nowMs: number,
  ): Promise<{ readonly session: UserSession; readonly user: UserWithMemberships } | null>;
  /** Resolves to unexpired sessions, newest first, at most 1,000. */
  sessions(userId: string, nowMs: number): Promise<readonly UserSession[]>;
  /** Ends a session. Resolves to whether it existed. */
  endSession(userId: string, sessionId: string, audit?: Audit<boolean>): Promise<boolean>;
  /** Ends a user's sessions except `except`. Resolves to the number ended. */
  endSessions(userId: string, except: string | null, audit?: Audit<number>): Promise<number>;

  /** Records the use of a second factor in a session. */
  markSecondFactor(sessionId: string, atMs: number): Promise<void>;

  /**
   * Counts one attempt under each key. Resolves to the counts in each key's current window, including this attempt. A window begins with
   * the first attempt after the previous window has ended.
   */
  countAttempts(
    keys: readonly string[],
    nowMs: number,
    windowMs: number,
  ): Promise<readonly { readonly count: number; readonly windowEndsAtMs: number }[]>;
  /** Uncounts one attempt that succeeded. */
  forgiveAttempts(keys: readonly string[]): Promise<void>;

  /** Records the use of a code of this time step. Resolves to `false` if one of the same or a later step was used before. */
  useTotpStep(userId: string, step: number): Promise<boolean>;

  /** Removes long-expired sessions, verifications, attempts and links, at most `limit` of each. Resolves to the total number removed. */
  removeOld(nowMs: number, limit: number): Promise<number>;
}

/** Hashes passwords. It is deliberately slow and memory-hard, and only a few hashes run at once. */
export interface PasswordHasher {
  hash(password: string): Promise<string>;
  verify(hash: string, password: string): Promise<boolean>;
}
