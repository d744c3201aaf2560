import { Failure } from '../domain/failure/failure.ts';
import { PasswordsBusyError } from '../sign-in/passwords.ts';
import { DatabaseAwayError, StatementTimeoutError } from '../stores/postgres/database-away-error.ts';
import { errorCodeOf } from '../stores/shared/error-code.ts';
import { failureAnswer } from '../transports/management/failures.ts';
import { newRequestId } from './system.ts';

const RETRY_MS = 5_000;
const LATER = 'Nothing is wrong with the request. Wait for retry_after seconds and send it again.';

/** SQLite's disk is full or broken, or another process holds the lock. */
const SQLITE_AWAY = /^SQLITE_(?:BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN)/;

/** Answers for the management API if the database is unavailable, which is not a bug of the gateway. Rethrows all other errors. */
export function unavailable(error: unknown): Response {
  const failure = storeFailure(error);
  const requestId = newRequestId();
  return failureAnswer(failure, requestId, { 'cache-control': 'no-store', 'x-request-id': requestId });
}

/** Returns the failure for an error of the database that is not a bug of the gateway. Rethrows all other errors. */
export function storeFailure(error: unknown): Failure {
  const [message, hint = LATER] = textsOf(error);
  if (message === null) throw error;
  return new Failure('storage_unavailable', { message, hint, retryAfterMs: RETRY_MS });
}

function textsOf(error: unknown): readonly [message: string | null, hint?: string] {
  if (error instanceof PasswordsBusyError) return ['Too many passwords are being checked at the moment.'];
  if (error instanceof StatementTimeoutError) {
    return [
      'The database query took too long.',
      'Ask for a shorter time or a smaller page, or send the request again later.',
    ];
  }
  const isAway = error instanceof DatabaseAwayError || SQLITE_AWAY.test(errorCodeOf(error) ?? '');
  return [isAway ? 'The gateway cannot reach its database.' : null];
}
