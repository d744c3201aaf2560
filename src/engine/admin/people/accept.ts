import { type Invitation, invitationState, mayTakeOver } from '../../../domain/access/invitation.ts';
import type { ObjectQuotas } from '../../../domain/access/object-quotas.ts';
import type { User, UserWithMemberships } from '../../../domain/access/user.ts';
import { hashSecret, randomBase62 } from '../../access/secrets.ts';
import type { AuditActor, AuditOrigin } from '../../ports/audit-log.ts';
import type { Acceptance, Accepted, PasswordHasher, RemovedCredentials } from '../../ports/people-store.ts';
import { AdminError } from '../admin-error.ts';
import { auditedDirectory } from '../audit/audit-trail.ts';
import { named } from '../names.ts';
import { quotaExceeded, readQuotas } from '../quotas/limited-directory.ts';
import { accountFrom } from '../schema/account.ts';
import { checkInput } from '../schema/check-input.ts';
import { acceptanceSchema, invitationTokenSchema, passwordResetSchema } from '../schema/people.ts';
import { isoTime } from '../view-fields.ts';
import { entryOf, type PeoplePorts } from './links.ts';

export interface AcceptPorts extends PeoplePorts {
  /** The quotas of accounts that have none of their own. */
  readonly quotas: ObjectQuotas;
  readonly passwords: PasswordHasher;
}

/** The origin of the request of a person who has the link or is signed in. */
export type Visitor = Omit<AuditOrigin, 'actor'>;

const GONE = 'this link has expired or was already used or revoked: ask for a new one';

/** Resolves to what a link is for. Throws `AdminError` if the link no longer works. */
export async function lookAtInvitation(ports: Pick<PeoplePorts, 'people' | 'clock' | 'directory'>, input: unknown) {
  const { token } = checkInput(invitationTokenSchema, [], input);
  const { purpose, email, accountId, role, operator, expiresAtMs } = await openInvitation(ports, token);
  const expires_at = isoTime(expiresAtMs);
  const view = { object: 'invitation' as const, purpose, email, account: accountId, role, operator, expires_at };
  return named(ports.directory, view);
}

async function openInvitation(
  { people, clock }: Pick<PeoplePorts, 'people' | 'clock'>,
  token: string,
): Promise<Invitation> {
  const invitation = await people.invitationByToken(hashSecret(token));
  if (invitation === null || invitationState(invitation, clock.nowMs()) !== 'open')
    throw new AdminError('not_found', 'token', GONE);
  return invitation;
}

/**
 * Accepts an invitation: a new person with a name and a password joins, or the one who is `signedIn`. This uses up the link. Throws
 * `AdminError`.
 *
 * @param input in the form of `acceptanceSchema`
 */
export async function acceptInvitation(
  ports: AcceptPorts,
  from: Visitor,
  signedIn: User | null,
  input: unknown,
): Promise<UserWithMemberships> {
  const { people, clock } = ports;
  const { token, ...written } = checkInput(acceptanceSchema, [], input);
  const invitation = await openInvitation(ports, token);
  if (invitation.purpose === 'reset') throw new AdminError('conflict', 'token', 'is a password reset link');
  const isJoining = written.password == null && signedIn !== null;
  const person = isJoining
    ? { userId: refuseOtherPerson(invitation, signedIn).id }
    : { newUser: await newUser(ports, invitation, written) };
  const atMs = clock.nowMs();
  const membership = await registeredAccount(ports, from, invitation, person);
  const quotas = await readQuotas(ports.directory, ports.quotas, (membership ?? invitation).accountId);
  const acceptance: Acceptance = {
    ...{ tokenHash: hashSecret(token), atMs, person, mostMembers: quotas?.members ?? null },
    ...(membership && { membership }),
  };
  const actorOf = (userId: string): AuditActor => {
    const email = 'newUser' in person ? person.newUser.email : (signedIn?.email ?? userId);
    return { kind: 'person', id: userId, name: email };
  };
  const accepted = await people.accept(acceptance, (result) => acceptEntries(result, acceptance, from, actorOf));
  if (accepted.outcome === 'gone') throw new AdminError('not_found', 'token', GONE);
  if (accepted.outcome === 'email_taken') throw emailTaken();
  if (accepted.outcome === 'full') throw quotaExceeded(quotas ?? ports.quotas, 'members');
  if (accepted.outcome === 'unverified') throw unverified(invitation);
  const user = await people.user(accepted.userId);
  if (user === null) throw new Error('A user who just accepted an invitation is missing.');
  return user;
}

function acceptEntries(
  result: Accepted,
  { atMs, membership }: Acceptance,
  from: Visitor,
  actorOf: (userId: string) => AuditActor,
) {
  if (result.outcome !== 'accepted') return [];
  const { invitation, userId, isNew, removed } = result;
  const { accountId, role } = membership ?? invitation;
  const after = {
    ...{ user: userId, is_new: isNew, account: accountId, role, operator: invitation.operator },
    ...(removed && { removed: removedFields(removed) }),
  };
  const change = { action: 'invitation.accept', accountId, objectId: invitation.id, before: null, after };
  return [entryOf({ origin: { ...from, actor: actorOf(userId) } }, atMs, change)];
}

function removedFields({ passkeys, issuers, twoFactor, sessions }: RemovedCredentials) {
  return { passkeys, issuers, two_factor: twoFactor, sessions };
}

function refuseOtherPerson(invitation: Invitation, signedIn: User): User {
  const { email, purpose } = invitation;
  if (purpose === 'registration') throw new AdminError('conflict', 'token', 'is a sign-up link: sign out first');
  if (email !== null && email !== signedIn.email)
    throw new AdminError('forbidden', 'token', 'is for another email address than the one you are signed in with');
  if (!signedIn.emailVerified) throw unverified(invitation);
  return signedIn;
}

/**
 * Returns the error for a user whose address is unverified: somebody else may have registered with it, and may have ways to sign in that
 * the person does not know.
 */
function unverified({ email, provesEmail }: Invitation): AdminError {
  const remedy =
    email !== null && provesEmail
      ? 'send a name and a new password with the link, which proves the address'
      : 'reset your password with a link from an admin or by email, then open this link again';
  return new AdminError(
    'forbidden',
    'token',
    `does not work for a user whose email address was never verified: ${remedy}`,
  );
}

async function newUser(
  { people, passwords }: AcceptPorts,
  invitation: Invitation,
  written: {
    readonly email?: string | null | undefined;
    readonly name?: string | null | undefined;
    readonly password?: string | null | undefined;
  },
) {
  const { name, password } = written;
  if (name == null) throw new AdminError('invalid_value', 'name', 'is required');
  if (password == null) throw new AdminError('invalid_value', 'password', 'is required');
  if (invitation.email !== null && written.email != null && written.email !== invitation.email)
    throw new AdminError(
      'invalid_value',
      'email',
      `must be ${invitation.email}, as the invitation says, or be left out`,
    );
  const email = invitation.email ?? written.email;
  if (email == null) throw new AdminError('invalid_value', 'email', 'is required');
  // This check saves the work of hashing; the store checks again.
  const present = await people.userByEmail(email);
  if (present !== null && !mayTakeOver(invitation, present)) throw emailTaken();
  return { id: `user_${randomBase62(16)}`, email, name, passwordHash: await passwords.hash(password) };
}

function emailTaken(): AdminError {
  return new AdminError('already_exists', 'email', 'already has an account: sign in, then open the link again');
}

/**
 * Creates an account for a person who has registered. It is created first, and stays empty if the link is used by another request
 * meanwhile.
 */
async function registeredAccount(
  { directory, clock }: PeoplePorts,
  from: Visitor,
  { purpose }: Invitation,
  person: Acceptance['person'],
): Promise<{ readonly accountId: string; readonly role: 'owner' } | null> {
  if (purpose !== 'registration' || !('newUser' in person)) return null;
  const { name, email, id: userId } = person.newUser;
  const id = `acct_${randomBase62(12)}`;
  const { openingBalanceNanoUsd: _none, credentials: _nothing, ...facts } = accountFrom({ id, name });
  const account = { ...facts, createdAtMs: clock.nowMs(), archivedAtMs: null, origin: 'operator' as const };
  const origin = { ...from, actor: { kind: 'person' as const, id: userId, name: email } };
  await auditedDirectory(directory, { origin, clock }).write({ accounts: [id], serving: false }, (writer) =>
    writer.putAccount(account),
  );
  return { accountId: id, role: 'owner' };
}

/**
 * Sets a new password by a one-time link, and ends all sessions of the user. A user whose address was unverified also loses all other ways
 * to sign in. Throws `AdminError`.
 */
export async function resetPassword(ports: AcceptPorts, from: Visitor, input: unknown): Promise<User> {
  const { people, passwords, clock } = ports;
  const { token, password } = checkInput(passwordResetSchema, [], input);
  const invitation = await openInvitation(ports, token);
  if (invitation.purpose !== 'reset') throw new AdminError('conflict', 'token', 'is not a password reset link');
  const reset = { tokenHash: hashSecret(token), passwordHash: await passwords.hash(password), atMs: clock.nowMs() };
  const done = await people.acceptReset(reset, (result) => {
    if (result === null) return [];
    const { user, removed } = result;
    const actor = { kind: 'person' as const, id: user.id, name: user.email };
    const after = removed && { removed: removedFields(removed) };
    const change = { action: 'user.reset_password', accountId: null, objectId: user.id, before: null, after };
    return [entryOf({ origin: { ...from, actor } }, reset.atMs, change)];
  });
  if (done === null) throw new AdminError('not_found', 'token', GONE);
  return done.user;
}
