/** Returns the error code of a database, such as `SQLITE_BUSY` or `40001`, or of a system call, such as `EACCES`. */
export function errorCodeOf(error: unknown): string | null {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'string' ? code : null;
}
