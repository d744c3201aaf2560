/** The database does not answer, or not in time; what was asked may be asked again later. */
export class DatabaseAwayError extends Error {
  override readonly name: string = 'DatabaseAwayError';
}

/** The server has ended a statement, since it took longer than its kind may take. */
export class StatementTimeoutError extends DatabaseAwayError {
  override readonly name = 'StatementTimeoutError';
}
