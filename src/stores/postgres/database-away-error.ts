import { errorCodeOf } from '../shared/error-code.ts';

/** The database does not respond in time. The operation may be retried later. */
export class DatabaseAwayError extends Error {
  override readonly name: string = 'DatabaseAwayError';
}

/** The server cancelled a statement that exceeded its time limit. */
export class StatementTimeoutError extends DatabaseAwayError {
  override readonly name = 'StatementTimeoutError';
}

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
