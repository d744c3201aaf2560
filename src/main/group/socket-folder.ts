import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { isRunning } from '../../transports/shared/is-running.ts';

const PREFIX = 'group-';
/** A Unix socket's address has 108 bytes, including the terminating zero; the file in the folder has a name of at most 8. */
const LONGEST_FOLDER_BYTES = 98;

/**
 * Creates the folder for a group's socket, in the data folder and named after the process id, and removes those of killed processes. If the
 * path is too long for a socket, the folder is in the temporary directory.
 */
export function makeSocketFolder(dataDirectory: string): string {
  const data = resolve(dataDirectory);
  mkdirSync(data, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(data)) {
    const processId = Number(/^group-(\d+)$/.exec(name)?.[1] ?? Number.NaN);
    const isLeft = Number.isInteger(processId) && (processId === process.pid || !isRunning(processId));
    if (isLeft) rmSync(join(data, name), { recursive: true, force: true });
  }
  const folder = join(data, `${PREFIX}${process.pid}`);
  if (Buffer.byteLength(folder) > LONGEST_FOLDER_BYTES) return mkdtempSync(join(tmpdir(), 'switchyard-group-'));
  mkdirSync(folder, { mode: 0o700 });
  return folder;
}
