import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { isRunning } from '../../transports/shared/is-running.ts';

const PREFIX = 'group-';
/** The address of a Unix socket has 108 bytes, the closing zero among them; the file in the folder has a name of at most 8. */
const LONGEST_FOLDER_BYTES = 98;

/**
 * Makes the folder of a group's socket, in the data folder and with the process id in its name, and removes those that processes have left
 * there that were killed. Where the path is too long for a socket it is in the folder for temporary files.
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
