import { errorCodeOf } from '../shared/error-code.ts';
import { firstLine, StoreOpenError } from '../shared/store-open-error.ts';

/** Converts an error from opening `path` to one for operators. */
export function toStoreOpenError(path: string, error: unknown): StoreOpenError {
  if (error instanceof StoreOpenError) return error;
  return new StoreOpenError(`Cannot open the database ${path}: ${explain(error)}`, { cause: error });
}

function explain(error: unknown): string {
  const code = errorCodeOf(error) ?? '';
  if (code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT')) {
    return 'the file is damaged or not a Switchyard database; restore a backup, or move the file away to start with an empty one.';
  }
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
    return 'another process has kept it locked for too long; stop that process and start again.';
  }
  if (code === 'SQLITE_FULL' || code === 'ENOSPC' || code === 'EDQUOT') {
    return 'the disk is full; free some space and start again.';
  }
  if (code === 'ENOTDIR' || code === 'EEXIST' || code === 'EISDIR') {
    return 'there is a file where a folder is needed, or a folder where the file should be; set SWITCHYARD_DATA to a folder.';
  }
  if (/^(EACCES|EPERM|EROFS|ENOENT|SQLITE_(CANTOPEN|READONLY|PERM|AUTH))/.test(code)) {
    return 'this user cannot write the file or its folder; fix the permissions, or set SWITCHYARD_DATA to a writable folder.';
  }
  return `${firstLine(error)}; fix the cause, then start again.`;
}
