import type { MemberRole, Membership, UserWithMemberships } from '../../../domain/access/user.ts';
import type { MembershipChanged, UserChange, UserChanged, UserPage } from '../../../engine/ports/people-store.ts';
import { ask, lock, type SqlDialect, type SqlProgram, type SqlRow, type Values } from '../program.ts';
import { textOf, toMembership, toUser, USER_COLUMNS } from './rows.ts';

export function* findUser(
  dialect: SqlDialect,
  by: 'id' | 'email',
  value: string,
): SqlProgram<UserWithMemberships | null> {
  const rows = yield* ask(
    dialect,
    (sql) => `SELECT ${USER_COLUMNS.join(', ')} FROM users WHERE ${by} = ${sql.put(value)}`,
  );
  const [user] = yield* withMemberships(dialect, rows);
  return user ?? null;
}

export function* listUsers(dialect: SqlDialect, page: UserPage): SqlProgram<readonly UserWithMemberships[]> {
  const { accountId, after, search } = page;
  const rows = yield* ask(dialect, (sql) => {
    const conditions = [
      ...(accountId === undefined
        ? []
        : [`id IN (SELECT user_id FROM memberships WHERE account_id = ${sql.put(accountId)})`]),
      ...(after === null ? [] : [`email > ${sql.put(after)}`]),
      ...(search === undefined ? [] : [containing(sql, search)]),
    ];
    const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
    return `SELECT ${USER_COLUMNS.join(', ')} FROM users ${where} ORDER BY email LIMIT ${sql.put(Math.max(0, Math.floor(page.limit)))}`;
  });
  return yield* withMemberships(dialect, rows);
}

export function* usersOf(dialect: SqlDialect, ids: readonly string[]): SqlProgram<readonly UserWithMemberships[]> {
  if (ids.length === 0) return [];
  const json = JSON.stringify(ids);
  const rows = yield* ask(
    dialect,
    (sql) => `SELECT ${USER_COLUMNS.join(', ')} FROM users WHERE id ${dialect.inList(sql.put(json), 'text')}`,
  );
  return yield* withMemberships(dialect, rows);
}

/** Does nothing for a user who was removed meanwhile. */
export function* noteActivity(dialect: SqlDialect, userId: string, atMs: number): SqlProgram<void> {
  yield* ask(
    dialect,
    (sql) => `
      INSERT INTO user_activity (user_id, last_active_at_ms)
      SELECT id, ${dialect.integer(sql.put(Math.floor(atMs)))} FROM users WHERE id = ${sql.put(userId)}
      ON CONFLICT (user_id) DO UPDATE SET last_active_at_ms = excluded.last_active_at_ms
      WHERE excluded.last_active_at_ms > user_activity.last_active_at_ms
    `,
  );
}

function containing(sql: Values, search: string): string {
  const pattern = sql.put(`%${search.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`);
  return `(email LIKE ${pattern} ESCAPE '\\' OR lower(name) LIKE ${pattern} ESCAPE '\\')`;
}

function* withMemberships(dialect: SqlDialect, users: readonly SqlRow[]): SqlProgram<readonly UserWithMemberships[]> {
  if (users.length === 0) return [];
  const rows = yield* ask(dialect, (sql) => {
    const ids = users.map((user) => sql.put(textOf(user.id)));
    return `SELECT user_id, account_id, role FROM memberships WHERE user_id IN (${ids.join(', ')}) ORDER BY user_id, account_id`;
  });
  const byUser = new Map<string, Membership[]>();
  for (const row of rows) {
    const userId = textOf(row.user_id);
    byUser.set(userId, [...(byUser.get(userId) ?? []), toMembership(row)]);
  }
  return users.map((row) => {
    const user = toUser(row);
    return { ...user, memberships: byUser.get(user.id) ?? [] };
  });
}

export function* countMembers(
  dialect: SqlDialect,
  accountIds: readonly string[],
): SqlProgram<ReadonlyMap<string, number>> {
  if (accountIds.length === 0) return new Map();
  const rows = yield* ask(dialect, (sql) => {
    const ids = accountIds.map((id) => sql.put(id)).join(', ');
    return `SELECT account_id, count(*) AS found FROM memberships WHERE account_id IN (${ids}) GROUP BY account_id`;
  });
  return new Map(rows.map((row) => [textOf(row.account_id), Number(row.found)]));
}

export function* changeUser(
  dialect: SqlDialect,
  id: string,
  { name, operator, disabledAtMs }: UserChange,
  atMs: number,
): SqlProgram<UserChanged> {
  yield* lock(dialect, OPERATORS);
  const before = yield* findUser(dialect, 'id', id);
  if (before === null) return { outcome: 'not_found' };
  const isOne = before.operator && before.disabledAtMs === null;
  const staysOne =
    (operator ?? before.operator) && (disabledAtMs === undefined ? before.disabledAtMs : disabledAtMs) === null;
  if (isOne && !staysOne && !(yield* hasOperator(dialect, id))) return { outcome: 'last_operator' };
  yield* ask(dialect, (sql) => {
    const sets = [
      ...(name === undefined ? [] : [`name = ${sql.put(name)}`]),
      ...(operator === undefined ? [] : [`operator = ${sql.flag(operator)}`]),
      ...(disabledAtMs === undefined
        ? []
        : [`disabled_at = ${sql.put(disabledAtMs === null ? null : isoOf(disabledAtMs))}`]),
      `updated_at = ${sql.put(isoOf(atMs))}`,
    ];
    return `UPDATE users SET ${sets.join(', ')} WHERE id = ${sql.put(id)}`;
  });
  if (typeof disabledAtMs === 'number') {
    yield* ask(dialect, (sql) => `DELETE FROM sign_in_sessions WHERE user_id = ${sql.put(id)}`);
  }
  return { outcome: 'changed', before, after: (yield* findUser(dialect, 'id', id)) ?? before };
}

export const OPERATORS = 'operators';

/** Whether an operator can sign in, other than the user `beside` if given. */
export function* hasOperator(dialect: SqlDialect, beside: string | null): SqlProgram<boolean> {
  const rows = yield* ask(dialect, (sql) => {
    const others = beside === null ? '' : `AND id <> ${sql.put(beside)}`;
    return `SELECT 1 AS found FROM users WHERE operator = ${sql.flag(true)} AND disabled_at IS NULL ${others} LIMIT 1`;
  });
  return rows.length > 0;
}

/** `role: null` removes the membership. */
export interface MembershipWish {
  readonly userId: string;
  readonly accountId: string;
  readonly role: MemberRole | null;
}

export function* setMembership(
  dialect: SqlDialect,
  { userId, accountId, role }: MembershipWish,
  { atMs, keepOwner }: { readonly atMs: number; readonly keepOwner: boolean },
): SqlProgram<MembershipChanged> {
  yield* lock(dialect, `members of ${accountId}`);
  const user = yield* findUser(dialect, 'id', userId);
  if (user === null) return { outcome: 'not_found' };
  const before = user.memberships.find((membership) => membership.accountId === accountId);
  if (role === null && before === undefined) return { outcome: 'not_found' };
  if (keepOwner && before?.role === 'owner' && role !== 'owner') {
    const others = yield* ask(
      dialect,
      (sql) => `
        SELECT 1 AS found FROM memberships JOIN users ON users.id = memberships.user_id
        WHERE memberships.account_id = ${sql.put(accountId)} AND memberships.role = 'owner'
          AND users.disabled_at IS NULL AND users.id <> ${sql.put(userId)} LIMIT 1
      `,
    );
    if (others.length === 0) return { outcome: 'last_owner' };
  }
  if (role === null) {
    yield* ask(
      dialect,
      (sql) => `DELETE FROM memberships WHERE user_id = ${sql.put(userId)} AND account_id = ${sql.put(accountId)}`,
    );
  } else yield* putMembership(dialect, { userId, accountId, role }, atMs);
  return { outcome: 'changed', user, before: before?.role ?? null };
}

export function* putMembership(
  dialect: SqlDialect,
  { userId, accountId, role }: { readonly userId: string; readonly accountId: string; readonly role: MemberRole },
  atMs: number,
): SqlProgram<void> {
  yield* ask(
    dialect,
    (sql) => `
      INSERT INTO memberships (user_id, account_id, role, created_at_ms)
      VALUES (${sql.put(userId)}, ${sql.put(accountId)}, ${sql.put(role)}, ${sql.put(Math.floor(atMs))})
      ON CONFLICT (user_id, account_id) DO UPDATE SET role = excluded.role
    `,
  );
}

export function isoOf(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
