import type { Invitation, InvitationPurpose } from '../../domain/access/invitation.ts';
import type { MemberRole } from '../../domain/access/member.ts';
import type { User, UserWithMemberships } from '../../domain/access/user.ts';
import type { NewAuditEntry } from './audit-log.ts';

/**
 * Makes the entries of the audit log for what a change has done; they are written in the same transaction. What it throws undoes the
 * change. It may be called again after a rollback.
 */
export type Audit<Result> = (result: Result) => readonly NewAuditEntry[];

/** A person who has just been made. */
export interface NewUser {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  /** As the password hasher wrote it. */
  readonly passwordHash: string;
}

/** Where somebody is signed in. Neither the token nor its hash. */
export interface UserSession {
  readonly id: string;
  readonly userId: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly address: string | null;
  readonly userAgent: string | null;
  /** Whether a second factor was used. */
  readonly secondFactor: boolean;
  /** When it was last used; `null` for never. */
  readonly secondFactorAtMs: number | null;
}

export interface Acceptance {
  readonly tokenHash: string;
  readonly atMs: number;
  /** Who is made, or `userId` who joins. */
  readonly person: { readonly newUser: NewUser } | { readonly userId: string };
  /** Instead of the invitation's own: the account that was made for a registration. */
  readonly membership?: { readonly accountId: string; readonly role: MemberRole };
  /** Only while the account has fewer members, this person not counted; `null` for any number. */
  readonly mostMembers?: number | null;
}

export interface PasswordReset {
  readonly tokenHash: string;
  readonly passwordHash: string;
  readonly atMs: number;
}

/**
 * The ways to sign in that a user has lost, since they may be those of somebody who took the address before its owner came: all but the
 * password, which was set anew.
 */
export interface RemovedCredentials {
  readonly passkeys: number;
  /** Links with issuers. */
  readonly issuers: number;
  /** Whether there was an authenticator, with its backup codes. */
  readonly twoFactor: boolean;
  readonly sessions: number;
}

export interface PasswordResetDone {
  readonly user: User;
  /** `null` where the address had been verified before, so that nothing but the sessions was removed. */
  readonly removed: RemovedCredentials | null;
}

export type Accepted =
  | {
      readonly outcome: 'accepted';
      readonly userId: string;
      readonly invitation: Invitation;
      readonly isNew: boolean;
      /** Not `null` where the address was that of an unverified user, who now belongs to its owner. */
      readonly removed: RemovedCredentials | null;
    }
  /** Used, revoked or expired meanwhile, or never there. */
  | { readonly outcome: 'gone' }
  /** Another user has the address. */
  | { readonly outcome: 'email_taken' }
  /** The account has as many members as it may have. */
  | { readonly outcome: 'full' }
  /** The user who would join never proved the address. */
  | { readonly outcome: 'unverified' };

export interface UserChange {
  readonly name?: string;
  readonly operator?: boolean;
  /** A number disables the user and ends the sessions; `null` enables. */
  readonly disabledAtMs?: number | null;
}

export type UserChanged =
  | { readonly outcome: 'changed'; readonly before: UserWithMemberships; readonly after: UserWithMemberships }
  | { readonly outcome: 'not_found' }
  /** Nobody who can sign in would be an operator any more. */
  | { readonly outcome: 'last_operator' };

export type MembershipChanged =
  | { readonly outcome: 'changed'; readonly user: UserWithMemberships; readonly before: MemberRole | null }
  | { readonly outcome: 'not_found' }
  /** The account would have no owner who can sign in any more. */
  | { readonly outcome: 'last_owner' };

export interface UserPage {
  readonly limit: number;
  /** The `email` of the last one of the page before. */
  readonly after: string | null;
  /** Only its members. */
  readonly accountId?: string;
  /** Only whose address or name contains this text, whatever the case. */
  readonly search?: string;
}

export interface InvitationPage {
  readonly limit: number;
  /** The `id` of the last one of the page before. */
  readonly after: string | null;
  readonly accountId?: string;
  readonly purposes?: readonly InvitationPurpose[];
  /** Only those that can be accepted at this time. */
  readonly openAtMs?: number;
}

/** People, what they belong to, their one-time links and sessions; on all nodes that share the database. Durable when resolved. */
export interface PeopleStore {
  user(id: string): Promise<UserWithMemberships | null>;
  /** @param email in lower case */
  userByEmail(email: string): Promise<UserWithMemberships | null>;
  /** By address. */
  users(page: UserPage): Promise<readonly UserWithMemberships[]>;
  /** Those without any are missing. */
  countMembers(accountIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Disabling ends the sessions, in the same step. */
  changeUser(id: string, change: UserChange, atMs: number, audit?: Audit<UserChanged>): Promise<UserChanged>;

  /**
   * Makes somebody a member, or gives another role; `null` takes the membership.
   *
   * @param keepOwner refuses what leaves the account without an owner
   */
  setMembership(
    membership: { readonly userId: string; readonly accountId: string; readonly role: MemberRole | null },
    options: { readonly atMs: number; readonly keepOwner: boolean },
    audit?: Audit<MembershipChanged>,
  ): Promise<MembershipChanged>;

  /**
   * Adds a link; gives whether it was added.
   *
   * @param mostOpen only while its account has fewer that can be accepted at the time of its making
   */
  addInvitation(
    invitation: Invitation,
    tokenHash: string,
    audit?: Audit<boolean>,
    mostOpen?: number | null,
  ): Promise<boolean>;
  /** Adds the link for the first operator, unless there is an operator, or such a link that is open. Gives whether it was added. */
  addFirstInvitation(invitation: Invitation, tokenHash: string, audit?: Audit<boolean>): Promise<boolean>;
  invitation(id: string): Promise<Invitation | null>;
  invitationByToken(tokenHash: string): Promise<Invitation | null>;
  /** The newest first. */
  invitations(page: InvitationPage): Promise<readonly Invitation[]>;
  /** Gives whether it was open. */
  revokeInvitation(id: string, atMs: number, audit?: Audit<boolean>): Promise<boolean>;
  /** Revokes all links of a purpose that are open, of a user where one is given. */
  revokeInvitations(purpose: InvitationPurpose, userId: string | null, atMs: number): Promise<number>;
  /**
   * Uses a link and makes, or adds, the person: all of it or nothing. A link to `join` that proves its address takes over the user who has
   * that address unverified, with the new person's name and password. A user whose address is unverified joins nothing.
   */
  accept(acceptance: Acceptance, audit?: Audit<Accepted>): Promise<Accepted>;
  /**
   * Uses a `reset` link: sets the password, and ends all sessions of its user. It also proves the address: a user who had not proved it
   * before loses all other ways to sign in. `null` where it cannot be used any more.
   */
  acceptReset(reset: PasswordReset, audit?: Audit<PasswordResetDone | null>): Promise<PasswordResetDone | null>;

  /** One that has not expired, with its user as the store has it now, disabled or not. */
  sessionByToken(
    tokenHash: string,
    nowMs: number,
  ): Promise<{ readonly session: UserSession; readonly user: UserWithMemberships } | null>;
  /** Those that have not expired, the newest first, 1,000 at most. */
  sessions(userId: string, nowMs: number): Promise<readonly UserSession[]>;
  /** Gives whether it was there. */
  endSession(userId: string, sessionId: string, audit?: Audit<boolean>): Promise<boolean>;
  /** Gives how many. */
  endSessions(userId: string, except: string | null, audit?: Audit<number>): Promise<number>;

  /** Notes that a second factor was used in a session. */
  markSecondFactor(sessionId: string, atMs: number): Promise<void>;

  /**
   * Counts one attempt under each key, and gives the counts within the running window of each, this one included.
   * A window begins with the first attempt after the one before has ended.
   */
  countAttempts(
    keys: readonly string[],
    nowMs: number,
    windowMs: number,
  ): Promise<readonly { readonly count: number; readonly windowEndsAtMs: number }[]>;
  /** Takes one attempt back that turned out to be right. */
  forgiveAttempts(keys: readonly string[]): Promise<void>;

  /** Notes that a code of this time step was used; `false` where one of the same step, or a later one, was used before. */
  useTotpStep(userId: string, step: number): Promise<boolean>;

  /** Removes sessions, verifications, attempts and links that are long over, at most `limit` of each; gives how many in all. */
  removeOld(nowMs: number, limit: number): Promise<number>;
}
