/** A database's name of the error, such as `SQLITE_BUSY` or `40001`, or a system call's, such as `EACCES`. */
export function errorCodeOf(error: unknown): string | null {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'string' ? code : null;
}
