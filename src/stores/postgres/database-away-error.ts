/** The database does not respond in time. The operation may be retried later. */
export class DatabaseAwayError extends Error {
  override readonly name: string = 'DatabaseAwayError';
}

/** The server cancelled a statement that exceeded its time limit. */
export class StatementTimeoutError extends DatabaseAwayError {
  override readonly name = 'StatementTimeoutError';
}
