import {
  type Invitation,
  type InvitationPurpose,
  invitationState,
  mayTakeOver,
} from '../../../domain/access/invitation.ts';
import { MEMBER_ROLES, type MemberRole } from '../../../domain/access/user.ts';
import type {
  Acceptance,
  Accepted,
  InvitationPage,
  NewUser,
  PasswordReset,
  PasswordResetDone,
  RemovedCredentials,
} from '../../../engine/ports/people-store.ts';
import { ask, lock, type SqlDialect, type SqlProgram, type Values } from '../program.ts';
import { proveAddress, setPassword } from './credential-programs.ts';
import { INVITATION_COLUMNS, toInvitation, toRole } from './rows.ts';
import { findUser, hasOperator, isoOf, OPERATORS, putMembership } from './user-programs.ts';

const COLUMNS = INVITATION_COLUMNS.join(', ');

export function* addInvitation(
  dialect: SqlDialect,
  invitation: Invitation,
  tokenHash: string,
  mostOpen: number | null,
): SqlProgram<boolean> {
  const { accountId, createdAtMs } = invitation;
  if (mostOpen !== null && accountId !== null) {
    yield* lock(dialect, `invitations of ${accountId}`);
    const [row] = yield* ask(
      dialect,
      (sql) =>
        `SELECT count(*) AS open FROM invitations WHERE account_id = ${sql.put(accountId)} AND ${isOpen(sql, createdAtMs)}`,
    );
    if (Number(row?.open ?? 0) >= mostOpen) return false;
  }
  yield* insertInvitation(dialect, invitation, tokenHash);
  return true;
}

function* insertInvitation(dialect: SqlDialect, invitation: Invitation, tokenHash: string): SqlProgram<void> {
  yield* ask(dialect, (sql) => {
    const values = [
      sql.put(invitation.id),
      sql.put(tokenHash),
      sql.put(invitation.purpose),
      sql.put(invitation.email),
      sql.flag(invitation.provesEmail),
      sql.put(invitation.accountId),
      sql.put(invitation.role),
      sql.flag(invitation.operator),
      sql.put(invitation.userId),
      sql.put(invitation.createdBy),
      sql.put(Math.floor(invitation.createdAtMs)),
      sql.put(Math.floor(invitation.expiresAtMs)),
      sql.put(invitation.usedAtMs),
      sql.put(invitation.usedBy),
      sql.put(invitation.revokedAtMs),
    ];
    return `INSERT INTO invitations (${COLUMNS}) VALUES (${values.join(', ')})`;
  });
}

export function* addFirstInvitation(
  dialect: SqlDialect,
  invitation: Invitation,
  tokenHash: string,
): SqlProgram<boolean> {
  yield* lock(dialect, OPERATORS);
  if (yield* hasOperator(dialect, null)) return false;
  const open = yield* ask(
    dialect,
    (sql) =>
      `SELECT 1 AS found FROM invitations WHERE purpose = 'first_operator' AND ${isOpen(sql, invitation.createdAtMs)} LIMIT 1`,
  );
  if (open.length > 0) return false;
  yield* insertInvitation(dialect, invitation, tokenHash);
  return true;
}

export function* findInvitation(
  dialect: SqlDialect,
  by: 'id' | 'token_hash',
  value: string,
): SqlProgram<Invitation | null> {
  const [row] = yield* ask(dialect, (sql) => `SELECT ${COLUMNS} FROM invitations WHERE ${by} = ${sql.put(value)}`);
  return row === undefined ? null : toInvitation(row);
}

export function* listInvitations(dialect: SqlDialect, page: InvitationPage): SqlProgram<readonly Invitation[]> {
  const { accountId, after, purposes, openAtMs, limit } = page;
  const rows = yield* ask(dialect, (sql) => {
    const conditions = [
      ...(accountId === undefined ? [] : [`account_id = ${sql.put(accountId)}`]),
      ...(purposes === undefined ? [] : [`purpose IN (${purposes.map((purpose) => sql.put(purpose)).join(', ')})`]),
      ...(openAtMs === undefined ? [] : [isOpen(sql, openAtMs)]),
      ...(after === null ? [] : [`row_id < (SELECT row_id FROM invitations WHERE id = ${sql.put(after)})`]),
    ];
    const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
    return `SELECT ${COLUMNS} FROM invitations ${where} ORDER BY row_id DESC LIMIT ${sql.put(Math.max(0, Math.floor(limit)))}`;
  });
  return rows.map(toInvitation);
}

export function* revokeInvitation(dialect: SqlDialect, id: string, atMs: number): SqlProgram<boolean> {
  const rows = yield* ask(
    dialect,
    (sql) =>
      `UPDATE invitations SET revoked_at_ms = ${sql.put(Math.floor(atMs))} WHERE id = ${sql.put(id)} AND ${isOpen(sql, atMs)} RETURNING id`,
  );
  return rows.length > 0;
}

export function* revokeInvitations(
  dialect: SqlDialect,
  purpose: InvitationPurpose,
  userId: string | null,
  atMs: number,
): SqlProgram<number> {
  const rows = yield* ask(dialect, (sql) => {
    const at = sql.put(Math.floor(atMs));
    const ofUser = userId === null ? '' : `AND user_id = ${sql.put(userId)}`;
    return `UPDATE invitations SET revoked_at_ms = ${at} WHERE purpose = ${sql.put(purpose)} ${ofUser} AND ${isOpen(sql, atMs)} RETURNING id`;
  });
  return rows.length;
}

function isOpen(sql: Values, atMs: number): string {
  return `used_at_ms IS NULL AND revoked_at_ms IS NULL AND expires_at_ms > ${sql.put(Math.floor(atMs))}`;
}

export function* accept(dialect: SqlDialect, acceptance: Acceptance): SqlProgram<Accepted> {
  const { tokenHash, atMs, person } = acceptance;
  yield* lock(dialect, `invitation ${tokenHash}`);
  const invitation = yield* findInvitation(dialect, 'token_hash', tokenHash);
  if (invitation === null || invitationState(invitation, atMs) !== 'open') return { outcome: 'gone' };
  if (yield* isFull(dialect, acceptance, invitation)) return { outcome: 'full' };
  let userId: string;
  let removed: RemovedCredentials | null = null;
  const isNew = 'newUser' in person && (yield* addUser(dialect, person.newUser, invitation, atMs));
  if ('newUser' in person && !isNew) {
    const taken = yield* takeOver(dialect, person.newUser, invitation, atMs);
    if (taken === null) return { outcome: 'email_taken' };
    ({ userId, removed } = taken);
  } else if ('newUser' in person) userId = person.newUser.id;
  else {
    ({ userId } = person);
    const user = yield* findUser(dialect, 'id', userId);
    if (user === null || user.disabledAtMs !== null) return { outcome: 'gone' };
    if (!user.emailVerified) return { outcome: 'unverified' };
  }
  if (invitation.operator && !isNew) yield* makeOperator(dialect, userId, atMs);
  const { accountId, role } = acceptance.membership ?? invitation;
  if (accountId !== null && role !== null) yield* join(dialect, { userId, accountId, role }, atMs);
  yield* use(dialect, invitation.id, userId, atMs);
  return { outcome: 'accepted', userId, invitation, isNew, removed };
}

function* isFull(
  dialect: SqlDialect,
  { membership, mostMembers = null, person }: Acceptance,
  invitation: Invitation,
): SqlProgram<boolean> {
  const { accountId } = membership ?? invitation;
  if (accountId === null || mostMembers === null) return false;
  yield* lock(dialect, `members of ${accountId}`);
  const userId = 'newUser' in person ? person.newUser.id : person.userId;
  const [row] = yield* ask(
    dialect,
    (sql) =>
      `SELECT count(*) AS members FROM memberships WHERE account_id = ${sql.put(accountId)} AND user_id <> ${sql.put(userId)}`,
  );
  return Number(row?.members ?? 0) >= mostMembers;
}

/** Adds a user. Returns whether the address was free. */
function* addUser(
  dialect: SqlDialect,
  user: NewUser,
  { operator, provesEmail }: Invitation,
  atMs: number,
): SqlProgram<boolean> {
  const made = yield* ask(dialect, (sql) => {
    const at = sql.put(isoOf(atMs));
    const values = [sql.put(user.id), sql.put(user.name), sql.put(user.email), sql.flag(provesEmail)];
    values.push(sql.flag(operator), at, at);
    return `
      INSERT INTO users (id, name, email, email_verified, operator, created_at, updated_at) VALUES (${values.join(', ')})
      ON CONFLICT (email) DO NOTHING RETURNING id
    `;
  });
  if (made.length === 0) return false;
  yield* setPassword(dialect, user.id, user.passwordHash, atMs);
  return true;
}

/** Hands an unverified user over to the person whose link proves the address; returns `null` if the link does not. */
function* takeOver(
  dialect: SqlDialect,
  { email, name, passwordHash }: NewUser,
  invitation: Invitation,
  atMs: number,
): SqlProgram<{ readonly userId: string; readonly removed: RemovedCredentials | null } | null> {
  const user = yield* findUser(dialect, 'email', email);
  if (user === null || !mayTakeOver(invitation, user)) return null;
  yield* ask(dialect, (sql) => `UPDATE users SET name = ${sql.put(name)} WHERE id = ${sql.put(user.id)}`);
  yield* setPassword(dialect, user.id, passwordHash, atMs);
  return { userId: user.id, removed: yield* proveAddress(dialect, user, atMs) };
}

function* makeOperator(dialect: SqlDialect, userId: string, atMs: number): SqlProgram<void> {
  yield* ask(
    dialect,
    (sql) =>
      `UPDATE users SET operator = ${sql.flag(true)}, updated_at = ${sql.put(isoOf(atMs))} WHERE id = ${sql.put(userId)}`,
  );
}

/** Adds a membership. An invitation never lowers an existing member's role. */
function* join(
  dialect: SqlDialect,
  membership: { readonly userId: string; readonly accountId: string; readonly role: MemberRole },
  atMs: number,
): SqlProgram<void> {
  const { userId, accountId, role } = membership;
  const [before] = yield* ask(
    dialect,
    (sql) => `SELECT role FROM memberships WHERE user_id = ${sql.put(userId)} AND account_id = ${sql.put(accountId)}`,
  );
  if (before !== undefined && MEMBER_ROLES.indexOf(toRole(before)) <= MEMBER_ROLES.indexOf(role)) return;
  yield* putMembership(dialect, membership, atMs);
}

function* use(dialect: SqlDialect, id: string, userId: string, atMs: number): SqlProgram<void> {
  yield* ask(
    dialect,
    (sql) =>
      `UPDATE invitations SET used_at_ms = ${sql.put(Math.floor(atMs))}, used_by = ${sql.put(userId)} WHERE id = ${sql.put(id)}`,
  );
}

export function* acceptReset(
  dialect: SqlDialect,
  { tokenHash, passwordHash, atMs }: PasswordReset,
): SqlProgram<PasswordResetDone | null> {
  yield* lock(dialect, `invitation ${tokenHash}`);
  const invitation = yield* findInvitation(dialect, 'token_hash', tokenHash);
  if (invitation === null || invitation.purpose !== 'reset' || invitation.userId === null) return null;
  if (invitationState(invitation, atMs) !== 'open') return null;
  const user = yield* findUser(dialect, 'id', invitation.userId);
  if (user === null || user.disabledAtMs !== null) return null;
  yield* setPassword(dialect, user.id, passwordHash, atMs);
  const removed = yield* proveAddress(dialect, user, atMs);
  yield* use(dialect, invitation.id, user.id, atMs);
  return { user, removed };
}
