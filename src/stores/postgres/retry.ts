import { errorCodeOf } from '../shared/error-code.ts';
import { DatabaseAwayError } from './database-away-error.ts';

const FIRST_WAIT_MS = 20;
const LONGEST_WAIT_MS = 1_000;
const ATTEMPTS = 5;

/**
 * Transaction conflicts (class 40), lock timeouts and cancelled statements. https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const IN_THE_WAY = /^(40...|55P03|57014)$/;
/** The database is read-only: for maintenance, or because of a failover to a server that the address will soon resolve to. */
const READ_ONLY = '25006';

/**
 * Whether a retry of the same statement may succeed. After a lost connection the outcome is unknown, so the statement must be idempotent.
 */
export function isPassing(error: unknown): boolean {
  const code = errorCodeOf(error) ?? '';
  return error instanceof DatabaseAwayError || IN_THE_WAY.test(code) || code === READ_ONLY;
}

/** Whether the database rolled the transaction back because of a conflict, such as a deadlock, so that it may be run again. */
export function isUndone(error: unknown): boolean {
  return (errorCodeOf(error) ?? '').startsWith('40');
}

/** Returns the back-off after this number of failed attempts (1 or more). */
export function retryWaitMs(attempts: number): number {
  return Math.min(FIRST_WAIT_MS * 2 ** (attempts - 1), LONGEST_WAIT_MS);
}

/**
 * Retries with exponential back-off as long as `mayTryAgain` accepts the error.
 *
 * @param work receives the number of the attempt, starting at 1
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
