import type { UserWithMemberships } from '../../../domain/access/user.ts';
import type { UserSession } from '../../../engine/ports/people-store.ts';
import { ask, type SqlDialect, type SqlProgram, type Values } from '../program.ts';
import { SESSION_COLUMNS, toMembership, toSession, toUser, USER_COLUMNS } from './rows.ts';
import { isoOf } from './user-programs.ts';

const OF_SESSION = SESSION_COLUMNS.map((column) => `s.${column} AS session_${column}`).join(', ');
const OF_USER = USER_COLUMNS.map((column) => `u.${column}`).join(', ');

/** Uses one statement, since every request of a signed-in user runs it. Returns one row per membership, or one without. */
export function* findSession(
  dialect: SqlDialect,
  tokenHash: string,
  nowMs: number,
): SqlProgram<{ readonly session: UserSession; readonly user: UserWithMemberships } | null> {
  const rows = yield* ask(
    dialect,
    (sql) => `
      SELECT ${OF_SESSION}, ${OF_USER},
        m.account_id, m.role
      FROM sign_in_sessions s JOIN users u ON u.id = s.user_id LEFT JOIN memberships m ON m.user_id = u.id
      WHERE s.token = ${sql.put(tokenHash)} AND s.expires_at > ${sql.put(isoOf(nowMs))} ORDER BY m.account_id
    `,
  );
  const [first] = rows;
  if (first === undefined) return null;
  const session = Object.fromEntries(SESSION_COLUMNS.map((column) => [column, first[`session_${column}`]]));
  const memberships = rows.filter(({ account_id: accountId }) => accountId !== null).map(toMembership);
  return { session: toSession(session), user: { ...toUser(first), memberships } };
}

/** Limits the list, since a script that keeps signing in creates sessions without end. */
const MOST_LISTED = 1_000;

export function* listSessions(dialect: SqlDialect, userId: string, nowMs: number): SqlProgram<readonly UserSession[]> {
  const rows = yield* ask(
    dialect,
    (sql) => `
      SELECT ${SESSION_COLUMNS.join(', ')} FROM sign_in_sessions
      WHERE user_id = ${sql.put(userId)} AND expires_at > ${sql.put(isoOf(nowMs))} ORDER BY created_at DESC, id
      LIMIT ${MOST_LISTED}
    `,
  );
  return rows.map(toSession);
}

export function* endSession(dialect: SqlDialect, userId: string, sessionId: string): SqlProgram<boolean> {
  return (yield* endSessions(dialect, userId, { only: sessionId })) > 0;
}

export function* endSessions(
  dialect: SqlDialect,
  userId: string,
  which: { readonly only: string } | { readonly except: string | null },
): SqlProgram<number> {
  const rows = yield* ask(dialect, (sql) => {
    const ofUser = `user_id = ${sql.put(userId)}`;
    return `DELETE FROM sign_in_sessions WHERE ${ofUser} ${chosen(sql, which)} RETURNING id`;
  });
  return rows.length;
}

function chosen(sql: Values, which: { readonly only: string } | { readonly except: string | null }): string {
  if ('only' in which) return `AND id = ${sql.put(which.only)}`;
  return which.except === null ? '' : `AND id <> ${sql.put(which.except)}`;
}

export function* markSecondFactor(dialect: SqlDialect, sessionId: string, atMs: number): SqlProgram<void> {
  yield* ask(
    dialect,
    (sql) =>
      `UPDATE sign_in_sessions SET second_factor = ${sql.flag(true)}, second_factor_at_ms = ${sql.put(Math.floor(atMs))} WHERE id = ${sql.put(sessionId)}`,
  );
}

export function* countAttempts(dialect: SqlDialect, keys: readonly string[], nowMs: number, windowMs: number) {
  const counted = new Map<string, { readonly count: number; readonly windowEndsAtMs: number }>();
  // Sorted, so that calls that share several keys do not deadlock.
  for (const key of [...new Set(keys)].sort()) {
    const [row] = yield* ask(dialect, (sql) => {
      const [now, ends] = [sql.put(Math.floor(nowMs)), sql.put(Math.floor(nowMs + windowMs))];
      const isOver = `sign_in_attempts.window_ends_at_ms <= ${now}`;
      return `
        INSERT INTO sign_in_attempts (key, count, window_ends_at_ms) VALUES (${sql.put(key)}, 1, ${ends})
        ON CONFLICT (key) DO UPDATE SET
          count = CASE WHEN ${isOver} THEN 1 ELSE sign_in_attempts.count + 1 END,
          window_ends_at_ms = CASE WHEN ${isOver} THEN ${ends} ELSE sign_in_attempts.window_ends_at_ms END
        RETURNING count, window_ends_at_ms
      `;
    });
    counted.set(key, { count: Number(row?.count), windowEndsAtMs: Number(row?.window_ends_at_ms) });
  }
  return keys.map((key) => counted.get(key) ?? { count: 0, windowEndsAtMs: nowMs });
}

export function* forgiveAttempts(dialect: SqlDialect, keys: readonly string[]): SqlProgram<void> {
  for (const key of [...new Set(keys)].sort()) {
    yield* ask(
      dialect,
      (sql) => `UPDATE sign_in_attempts SET count = count - 1 WHERE key = ${sql.put(key)} AND count > 0`,
    );
  }
}

export function* useTotpStep(dialect: SqlDialect, userId: string, step: number): SqlProgram<boolean> {
  const rows = yield* ask(dialect, (sql) => {
    const value = sql.put(step);
    return `
      UPDATE sign_in_two_factors SET last_used_step = ${value}
      WHERE user_id = ${sql.put(userId)} AND (last_used_step IS NULL OR last_used_step < ${value}) RETURNING id
    `;
  });
  return rows.length > 0;
}

/** Expired links remain listed for this long. */
const KEPT_INVITATIONS_MS = 90 * 86_400_000;

export function* removeOld(dialect: SqlDialect, nowMs: number, limit: number): SqlProgram<number> {
  const most = Math.max(0, Math.floor(limit));
  const now = isoOf(nowMs);
  const olds = [
    ['sign_in_sessions', 'id', 'expires_at', now],
    ['sign_in_verifications', 'id', 'expires_at', now],
    ['sign_in_attempts', 'key', 'window_ends_at_ms', Math.floor(nowMs)],
    ['invitations', 'id', 'expires_at_ms', Math.floor(nowMs - KEPT_INVITATIONS_MS)],
  ] as const;
  let removed = 0;
  for (const [table, key, column, before] of olds) {
    const rows = yield* ask(
      dialect,
      (sql) => `
        DELETE FROM ${table} WHERE ${key} IN (
          SELECT ${key} FROM ${table} WHERE ${column} < ${sql.put(before)} LIMIT ${sql.put(most)}
        ) RETURNING ${key}
      `,
    );
    removed += rows.length;
  }
  return removed;
}
