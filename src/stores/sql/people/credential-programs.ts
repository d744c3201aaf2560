import type { User } from '../../../domain/access/user.ts';
import type { RemovedCredentials } from '../../../engine/ports/people-store.ts';
import { ask, type SqlDialect, type SqlProgram } from '../program.ts';
import { isoOf } from './user-programs.ts';

/** Sets a password. The sign-in library stores it under the provider `credential` with the user's own id. */
export function* setPassword(
  dialect: SqlDialect,
  userId: string,
  passwordHash: string,
  atMs: number,
): SqlProgram<void> {
  yield* ask(dialect, (sql) => {
    const at = sql.put(isoOf(atMs));
    const id = sql.put(userId);
    return `
      INSERT INTO sign_in_credentials (id, user_id, provider_id, account_id, password, created_at, updated_at)
      VALUES (${sql.put(`password_${userId}`)}, ${id}, 'credential', ${id}, ${sql.put(passwordHash)}, ${at}, ${at})
      ON CONFLICT (provider_id, account_id) DO UPDATE SET password = excluded.password, updated_at = excluded.updated_at
    `;
  });
}

/**
 * Marks the address as verified and ends all sessions and pending sign-ins. If it was not verified before, all sign-in methods but the
 * password are removed, since somebody else may have set them up.
 */
export function* proveAddress(
  dialect: SqlDialect,
  { id, emailVerified }: Pick<User, 'id' | 'emailVerified'>,
  atMs: number,
): SqlProgram<RemovedCredentials | null> {
  const sessions = yield* remove(dialect, 'sign_in_sessions', id);
  // For a sign-in that waits for the second factor, the value is the user's id.
  yield* ask(dialect, (sql) => `DELETE FROM sign_in_verifications WHERE value = ${sql.put(id)}`);
  if (emailVerified) return null;
  const passkeys = yield* remove(dialect, 'sign_in_passkeys', id);
  const twoFactors = yield* remove(dialect, 'sign_in_two_factors', id);
  const issuers = yield* ask(
    dialect,
    (sql) =>
      `DELETE FROM sign_in_credentials WHERE user_id = ${sql.put(id)} AND provider_id <> 'credential' RETURNING id`,
  );
  yield* ask(
    dialect,
    (sql) => `
      UPDATE users SET email_verified = ${sql.flag(true)}, two_factor_enabled = ${sql.flag(false)},
        updated_at = ${sql.put(isoOf(atMs))} WHERE id = ${sql.put(id)}
    `,
  );
  return { passkeys, issuers: issuers.length, twoFactor: twoFactors > 0, sessions };
}

/** Returns the number removed. */
function* remove(
  dialect: SqlDialect,
  table: 'sign_in_sessions' | 'sign_in_passkeys' | 'sign_in_two_factors',
  userId: string,
): SqlProgram<number> {
  const rows = yield* ask(dialect, (sql) => `DELETE FROM ${table} WHERE user_id = ${sql.put(userId)} RETURNING id`);
  return rows.length;
}
