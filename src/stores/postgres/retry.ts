import { errorCodeOf } from '../shared/error-code.ts';
import { DatabaseAwayError } from './database-away-error.ts';

const FIRST_WAIT_MS = 20;
const LONGEST_WAIT_MS = 1_000;
const ATTEMPTS = 5;

/**
 * Transactions that another one stood in the way of (class 40), a lock that was not got and a statement that was cancelled.
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const IN_THE_WAY = /^(40...|55P03|57014)$/;
/** The database is read-only: for maintenance, or since another server has taken over, which the address will soon lead to. */
const READ_ONLY = '25006';

/**
 * Whether the same statement may succeed when it is sent again. Where the connection was lost it is not known whether it was
 * done: it has to be one that may be done twice.
 */
export function isPassing(error: unknown): boolean {
  const code = errorCodeOf(error) ?? '';
  return error instanceof DatabaseAwayError || IN_THE_WAY.test(code) || code === READ_ONLY;
}

/** Whether the database undid the transaction because another one stood in its way, as in a deadlock: it may be run again. */
export function isUndone(error: unknown): boolean {
  return (errorCodeOf(error) ?? '').startsWith('40');
}

/** How long to wait after so many attempts (1 or more) have failed. */
export function retryWaitMs(attempts: number): number {
  return Math.min(FIRST_WAIT_MS * 2 ** (attempts - 1), LONGEST_WAIT_MS);
}

/**
 * Tries again, with longer and longer waits in between, where `mayTryAgain` says so of an error.
 *
 * @param work is told the number of the attempt, which is 1 at first
 */
export async function retrying<Result>(
  mayTryAgain: (error: unknown) => boolean,
  work: (attempt: number) => Promise<Result>,
  attempts = ATTEMPTS,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work(attempt);
    } catch (error) {
      if (attempt >= attempts || !mayTryAgain(error)) throw error;
      await Bun.sleep(retryWaitMs(attempt));
    }
  }
}
