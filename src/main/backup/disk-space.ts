import { statfs } from 'node:fs/promises';
import { errorCodeOf } from '../../stores/shared/error-code.ts';
import { BackupError } from './manifest.ts';

const MEBIBYTE = 1024 * 1024;

/** Throws a `BackupError` if the folder's disk has less space than a copy needs. Other writers may still fill it meanwhile. */
export async function expectSpace(folder: string, bytes: number, remedy: string): Promise<void> {
  const found = await statfs(folder).catch(() => null);
  if (found === null) return;
  const free = found.bavail * found.bsize;
  if (free >= bytes) return;
  throw new BackupError(`${folder}: ${mebibytes(bytes)} are needed, but ${mebibytes(free)} are free: ${remedy}`);
}

/** Converts an error of a full disk to a `BackupError`; returns others unchanged. */
export function fullDiskError(error: unknown, folder: string, remedy: string): unknown {
  const isFull = /^(ENOSPC|EDQUOT|EFBIG|SQLITE_FULL)/.test(errorCodeOf(error) ?? '');
  return isFull ? new BackupError(`${folder}: the disk is full; nothing was left behind: ${remedy}`) : error;
}

export function mebibytes(bytes: number): string {
  return `${(bytes / MEBIBYTE).toFixed(1)} MiB`;
}
