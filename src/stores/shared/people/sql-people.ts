import type { Invitation, InvitationPurpose } from '../../../domain/access/invitation.ts';
import type {
  Acceptance,
  InvitationPage,
  PeopleStore,
  UserChange,
  UserPage,
} from '../../../engine/ports/people-store.ts';
import * as invitations from './invitation-programs.ts';
import type { ProgramRunner } from './program.ts';
import * as sessions from './session-programs.ts';
import * as users from './user-programs.ts';

/** People in either database. */
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

  changeUser(id: string, change: UserChange, atMs: number) {
    return this.runner.write(() => users.changeUser(this.runner.dialect, id, change, atMs));
  }

  setMembership(
    membership: Parameters<PeopleStore['setMembership']>[0],
    options: Parameters<PeopleStore['setMembership']>[1],
  ) {
    return this.runner.write(() => users.setMembership(this.runner.dialect, membership, options));
  }

  addInvitation(invitation: Invitation, tokenHash: string) {
    return this.runner.write(() => invitations.addInvitation(this.runner.dialect, invitation, tokenHash));
  }

  addFirstInvitation(invitation: Invitation, tokenHash: string) {
    return this.runner.write(() => invitations.addFirstInvitation(this.runner.dialect, invitation, tokenHash));
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

  revokeInvitation(id: string, atMs: number) {
    return this.runner.write(() => invitations.revokeInvitation(this.runner.dialect, id, atMs));
  }

  revokeInvitations(purpose: InvitationPurpose, userId: string | null, atMs: number) {
    return this.runner.write(() => invitations.revokeInvitations(this.runner.dialect, purpose, userId, atMs));
  }

  accept(acceptance: Acceptance) {
    return this.runner.write(() => invitations.accept(this.runner.dialect, acceptance));
  }

  acceptReset(reset: Parameters<PeopleStore['acceptReset']>[0]) {
    return this.runner.write(() => invitations.acceptReset(this.runner.dialect, reset));
  }

  sessions(userId: string, nowMs: number) {
    return this.runner.read(() => sessions.listSessions(this.runner.dialect, userId, nowMs));
  }

  async endSession(userId: string, sessionId: string) {
    return (await this.runner.write(() => sessions.endSessions(this.runner.dialect, userId, { only: sessionId }))) > 0;
  }

  endSessions(userId: string, except: string | null) {
    return this.runner.write(() => sessions.endSessions(this.runner.dialect, userId, { except }));
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
