/** The database does not answer, or not in time; what was asked may be asked again later. */
export class DatabaseAwayError extends Error {
  override readonly name = 'DatabaseAwayError';
}
