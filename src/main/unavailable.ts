import { Failure } from '../domain/failure/failure.ts';
import { PasswordsBusyError } from '../sign-in/passwords.ts';
import { DatabaseAwayError } from '../stores/postgres/database-away-error.ts';
import { errorCodeOf } from '../stores/shared/error-code.ts';
import { failureAnswer } from '../transports/management/failures.ts';
import { newRequestId } from './system.ts';

const RETRY_MS = 5_000;

/** SQLite's disk is full or broken, or another process holds the lock. */
const SQLITE_AWAY = /^SQLITE_(?:BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN)/;

/** Answers for the management API where the database does not answer, which is no fault in the gateway. Throws all else. */
export function unavailable(error: unknown): Response {
  const message = messageOf(error);
  if (message === null) throw error;
  const hint = 'Nothing is wrong with the request. Wait for retry_after seconds and send it again.';
  const failure = new Failure('storage_unavailable', { message, hint, retryAfterMs: RETRY_MS });
  const requestId = newRequestId();
  return failureAnswer(failure, requestId, { 'cache-control': 'no-store', 'x-request-id': requestId });
}

function messageOf(error: unknown): string | null {
  if (error instanceof PasswordsBusyError) return 'Too many passwords are being checked just now.';
  const isAway = error instanceof DatabaseAwayError || SQLITE_AWAY.test(errorCodeOf(error) ?? '');
  return isAway ? 'The gateway cannot reach its database just now.' : null;
}
