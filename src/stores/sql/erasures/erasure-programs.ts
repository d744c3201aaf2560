import type { Erasure, ErasureBegun, NewErasure, PersonalRows } from '../../../engine/ports/erasure-store.ts';
import { fromJson } from '../../shared/tables/encoding.ts';
import { textOf } from '../people/rows.ts';
import { findUser, hasOperator, isoOf, OPERATORS } from '../people/user-programs.ts';
import { ask, lock, type SqlDialect, type SqlProgram, type SqlRow, type Values } from '../program.ts';

const COLUMNS = 'user_id, email, names, pseudonym, audited_until, rewritten';
const MOST_OPEN = 100;

function toErasure(row: SqlRow): Erasure {
  return {
    userId: textOf(row.user_id),
    email: textOf(row.email),
    names: fromJson<string[]>(textOf(row.names)),
    pseudonym: textOf(row.pseudonym),
    auditedUntil: Number(row.audited_until),
    rewritten: Number(row.rewritten),
  };
}

export function* findErasure(dialect: SqlDialect, named: string): SqlProgram<Erasure | null> {
  const [row] = yield* ask(
    dialect,
    (sql) => `SELECT ${COLUMNS} FROM erasures WHERE user_id = ${sql.put(named)} OR email = ${sql.put(named)} LIMIT 1`,
  );
  return row === undefined ? null : toErasure(row);
}

export function* openErasures(dialect: SqlDialect): SqlProgram<readonly Erasure[]> {
  const rows = yield* ask(
    dialect,
    (sql) => `SELECT ${COLUMNS} FROM erasures ORDER BY user_id LIMIT ${sql.put(MOST_OPEN)}`,
  );
  return rows.map(toErasure);
}

export function* checkErasure(dialect: SqlDialect, wanted: NewErasure): SqlProgram<ErasureBegun> {
  const { userId, names, pseudonym, archivedAccounts } = wanted;
  const begun = yield* findErasure(dialect, userId);
  if (begun !== null) return { outcome: 'begun', erasure: begun };
  const user = yield* findUser(dialect, 'id', userId);
  if (user === null) return { outcome: 'not_found' };
  const isOperator = user.operator && user.disabledAtMs === null;
  if (isOperator && !(yield* hasOperator(dialect, userId))) return { outcome: 'last_operator' };
  const accountId = yield* findAccountOfLastOwner(dialect, userId, archivedAccounts);
  if (accountId !== null) return { outcome: 'last_owner', accountId };
  const fresh = { email: user.email, auditedUntil: 0, rewritten: 0 };
  return { outcome: 'begun', erasure: { userId, names: [...new Set([user.name, ...names])], pseudonym, ...fresh } };
}

/** Finds an account, not archived, that has no other owner who can sign in. */
function* findAccountOfLastOwner(
  dialect: SqlDialect,
  userId: string,
  archivedAccounts: readonly string[],
): SqlProgram<string | null> {
  const rows = yield* ask(
    dialect,
    (sql) => `
      SELECT own.account_id FROM memberships own WHERE own.user_id = ${sql.put(userId)} AND own.role = 'owner'
        AND NOT EXISTS (
          SELECT 1 FROM memberships other JOIN users ON users.id = other.user_id
          WHERE other.account_id = own.account_id AND other.role = 'owner' AND users.disabled_at IS NULL
            AND other.user_id <> own.user_id
        )
      ORDER BY own.account_id
    `,
  );
  return rows.map((row) => textOf(row.account_id)).find((id) => !archivedAccounts.includes(id)) ?? null;
}

export function* beginErasure(dialect: SqlDialect, wanted: NewErasure): SqlProgram<ErasureBegun> {
  yield* lock(dialect, OPERATORS);
  const checked = yield* checkErasure(dialect, wanted);
  if (checked.outcome !== 'begun') return checked;
  const { userId, email, names, pseudonym } = checked.erasure;
  yield* ask(dialect, (sql) => {
    const values = [userId, email, JSON.stringify(names), pseudonym].map((value) => sql.put(value));
    return `INSERT INTO erasures (${COLUMNS}) VALUES (${values.join(', ')}, 0, 0) ON CONFLICT (user_id) DO NOTHING`;
  });
  yield* ask(
    dialect,
    (sql) =>
      `UPDATE users SET disabled_at = ${sql.put(isoOf(wanted.atMs))} WHERE id = ${sql.put(userId)} AND disabled_at IS NULL`,
  );
  return checked;
}

export function* advanceErasure(
  dialect: SqlDialect,
  userId: string,
  auditedUntil: number,
  rewritten: number,
): SqlProgram<void> {
  yield* ask(
    dialect,
    (sql) => `
      UPDATE erasures SET audited_until = ${sql.put(auditedUntil)}, rewritten = ${sql.put(rewritten)}
      WHERE user_id = ${sql.put(userId)}
    `,
  );
}

export function* endErasure(dialect: SqlDialect, userId: string): SqlProgram<void> {
  yield* ask(dialect, (sql) => `DELETE FROM erasures WHERE user_id = ${sql.put(userId)}`);
}

interface Person extends Pick<Erasure, 'userId' | 'email'> {
  readonly attemptKeys: readonly string[];
}

/** The table and the condition for each kind of personal rows. Sessions end in `begin`; later ones are deleted here. */
const ROWS: Readonly<
  Record<keyof PersonalRows, readonly [table: string, which: (sql: Values, person: Person) => string]>
> = {
  passwords: [
    'sign_in_credentials',
    (sql, { userId }) => `user_id = ${sql.put(userId)} AND provider_id = 'credential'`,
  ],
  issuers: ['sign_in_credentials', (sql, { userId }) => `user_id = ${sql.put(userId)} AND provider_id <> 'credential'`],
  passkeys: ['sign_in_passkeys', ofUser],
  twoFactors: ['sign_in_two_factors', ofUser],
  sessions: ['sign_in_sessions', ofUser],
  verifications: [
    'sign_in_verifications',
    (sql, { userId, email }) => {
      const pattern = sql.put(containing(email));
      return `value = ${sql.put(userId)} OR value LIKE ${pattern} ESCAPE '\\' OR identifier LIKE ${pattern} ESCAPE '\\'`;
    },
  ],
  attempts: [
    'sign_in_attempts',
    (sql, { attemptKeys }) =>
      attemptKeys.length === 0 ? '1 = 0' : `key IN (${attemptKeys.map((key) => sql.put(key)).join(', ')})`,
  ],
  memberships: ['memberships', ofUser],
  invitations: [
    'invitations',
    (sql, { userId, email }) => {
      const id = sql.put(userId);
      const madeUnused = `created_by = ${sql.put(makerOf(userId))} AND used_at_ms IS NULL`;
      return `email = ${sql.put(email)} OR user_id = ${id} OR used_by = ${id} OR (${madeUnused})`;
    },
  ],
  alertEvents: ['alert_events', (sql, { email }) => `body LIKE ${sql.put(containing(email))} ESCAPE '\\'`],
};

function ofUser(sql: Values, { userId }: Person): string {
  return `user_id = ${sql.put(userId)}`;
}

/** Returns the value of `created_by` of a user's invitations and keys. */
function makerOf(userId: string): string {
  return `user:${userId}`;
}

function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}

export function* countRows(dialect: SqlDialect, person: Person): SqlProgram<PersonalRows> {
  return yield* eachKind(function* ([table, which]) {
    const [row] = yield* ask(dialect, (sql) => `SELECT count(*) AS found FROM ${table} WHERE ${which(sql, person)}`);
    return Number(row?.found ?? 0);
  });
}

export function* removePerson(dialect: SqlDialect, person: Person, pseudonym: string): SqlProgram<PersonalRows | null> {
  yield* lock(dialect, OPERATORS);
  if ((yield* findUser(dialect, 'id', person.userId)) === null) return null;
  const removed = yield* eachKind(function* ([table, which]) {
    const rows = yield* ask(dialect, (sql) => `DELETE FROM ${table} WHERE ${which(sql, person)} RETURNING 1 AS gone`);
    return rows.length;
  });
  for (const table of ['invitations', 'credentials']) {
    yield* ask(
      dialect,
      (sql) =>
        `UPDATE ${table} SET created_by = ${sql.put(makerOf(pseudonym))} WHERE created_by = ${sql.put(makerOf(person.userId))}`,
    );
  }
  yield* ask(dialect, (sql) => `DELETE FROM users WHERE id = ${sql.put(person.userId)}`);
  return removed;
}

function* eachKind(use: (rows: (typeof ROWS)[keyof PersonalRows]) => SqlProgram<number>): SqlProgram<PersonalRows> {
  return {
    passwords: yield* use(ROWS.passwords),
    issuers: yield* use(ROWS.issuers),
    passkeys: yield* use(ROWS.passkeys),
    twoFactors: yield* use(ROWS.twoFactors),
    sessions: yield* use(ROWS.sessions),
    verifications: yield* use(ROWS.verifications),
    attempts: yield* use(ROWS.attempts),
    memberships: yield* use(ROWS.memberships),
    invitations: yield* use(ROWS.invitations),
    alertEvents: yield* use(ROWS.alertEvents),
  };
}
