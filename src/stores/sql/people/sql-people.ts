import type { Invitation, InvitationPurpose } from '../../../domain/access/invitation.ts';
import type {
  Acceptance,
  Accepted,
  Audit,
  InvitationPage,
  MembershipChanged,
  PasswordReset,
  PasswordResetDone,
  PeopleStore,
  UserChange,
  UserChanged,
  UserPage,
} from '../../../engine/ports/people-store.ts';
import type { ProgramRunner } from '../program.ts';
import * as invitations from './invitation-programs.ts';
import * as sessions from './session-programs.ts';
import * as users from './user-programs.ts';

/** The people store for both databases. */
export class SqlPeople implements PeopleStore {
  constructor(private readonly runner: ProgramRunner) {}

  user(id: string) {
    return this.runner.read(() => users.findUser(this.runner.dialect, 'id', id));
  }

  userByEmail(email: string) {
    return this.runner.read(() => users.findUser(this.runner.dialect, 'email', email));
  }

  users(page: UserPage) {
    return this.runner.read(() => users.listUsers(this.runner.dialect, page));
  }

  usersOf(ids: readonly string[]) {
    return this.runner.read(() => users.usersOf(this.runner.dialect, ids));
  }

  noteActivity(userId: string, atMs: number) {
    return this.runner.write(() => users.noteActivity(this.runner.dialect, userId, atMs));
  }

  countMembers(accountIds: readonly string[]) {
    return this.runner.read(() => users.countMembers(this.runner.dialect, accountIds));
  }

  changeUser(id: string, change: UserChange, atMs: number, audit?: Audit<UserChanged>) {
    return this.runner.write(() => users.changeUser(this.runner.dialect, id, change, atMs), audit);
  }

  setMembership(
    membership: users.MembershipWish,
    options: { readonly atMs: number; readonly keepOwner: boolean },
    audit?: Audit<MembershipChanged>,
  ) {
    return this.runner.write(() => users.setMembership(this.runner.dialect, membership, options), audit);
  }

  addInvitation(
    invitation: Invitation,
    tokenHash: string,
    audit?: Audit<boolean>,
    mostOpen: number | null = null,
  ): Promise<boolean> {
    const { dialect } = this.runner;
    return this.runner.write(() => invitations.addInvitation(dialect, invitation, tokenHash, mostOpen), audit);
  }

  addFirstInvitation(invitation: Invitation, tokenHash: string, audit?: Audit<boolean>) {
    return this.runner.write(() => invitations.addFirstInvitation(this.runner.dialect, invitation, tokenHash), audit);
  }

  invitation(id: string) {
    return this.runner.read(() => invitations.findInvitation(this.runner.dialect, 'id', id));
  }

  invitationByToken(tokenHash: string) {
    return this.runner.read(() => invitations.findInvitation(this.runner.dialect, 'token_hash', tokenHash));
  }

  invitations(page: InvitationPage) {
    return this.runner.read(() => invitations.listInvitations(this.runner.dialect, page));
  }

  revokeInvitation(id: string, atMs: number, audit?: Audit<boolean>) {
    return this.runner.write(() => invitations.revokeInvitation(this.runner.dialect, id, atMs), audit);
  }

  revokeInvitations(purpose: InvitationPurpose, userId: string | null, atMs: number) {
    return this.runner.write(() => invitations.revokeInvitations(this.runner.dialect, purpose, userId, atMs));
  }

  accept(acceptance: Acceptance, audit?: Audit<Accepted>) {
    return this.runner.write(() => invitations.accept(this.runner.dialect, acceptance), audit);
  }

  acceptReset(reset: PasswordReset, audit?: Audit<PasswordResetDone | null>) {
    return this.runner.write(() => invitations.acceptReset(this.runner.dialect, reset), audit);
  }

  sessionByToken(tokenHash: string, nowMs: number) {
    return this.runner.read(() => sessions.findSession(this.runner.dialect, tokenHash, nowMs));
  }

  sessions(userId: string, nowMs: number) {
    return this.runner.read(() => sessions.listSessions(this.runner.dialect, userId, nowMs));
  }

  endSession(userId: string, sessionId: string, audit?: Audit<boolean>) {
    return this.runner.write(() => sessions.endSession(this.runner.dialect, userId, sessionId), audit);
  }

  endSessions(userId: string, except: string | null, audit?: Audit<number>) {
    return this.runner.write(() => sessions.endSessions(this.runner.dialect, userId, { except }), audit);
  }

  markSecondFactor(sessionId: string, atMs: number) {
    return this.runner.write(() => sessions.markSecondFactor(this.runner.dialect, sessionId, atMs));
  }

  countAttempts(keys: readonly string[], nowMs: number, windowMs: number) {
    return this.runner.write(() => sessions.countAttempts(this.runner.dialect, keys, nowMs, windowMs));
  }

  forgiveAttempts(keys: readonly string[]) {
    return this.runner.write(() => sessions.forgiveAttempts(this.runner.dialect, keys));
  }

  useTotpStep(userId: string, step: number) {
    return this.runner.write(() => sessions.useTotpStep(this.runner.dialect, userId, step));
  }

  removeOld(nowMs: number, limit: number) {
    return this.runner.write(() => sessions.removeOld(this.runner.dialect, nowMs, limit));
  }
}
