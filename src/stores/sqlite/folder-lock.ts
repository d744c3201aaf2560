import { Database } from 'bun:sqlite';
import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorCodeOf } from '../shared/error-code.ts';
import { StoreOpenError } from '../shared/store-open-error.ts';
import { isBusy } from './connection.ts';

const LOCK_FILE = 'switchyard.lock';
/** Contains the owner's process id for error messages. A separate file, since the lock file must not be closed. */
const OWNER_FILE = 'switchyard.pid';
/** A process that was just killed needs a moment to exit. */
const WAIT_MS = 1_000;
const RETRY_EVERY_MS = 20;

/**
 * Locks the data folder for this process. The lock is a transaction on an empty database next to the real one: the operating system ends it
 * with the process, however that exits, and the real database stays accessible to the command line.
 *
 * @param inUse returns the error if another process has locked it
 * @returns a function that unlocks the folder
 */
export async function lockFolder(path: string, inUse = gatewayRuns): Promise<() => void> {
  const folder = dirname(path);
  const file = join(folder, LOCK_FILE);
  makeFile(file);
  for (let waitedMs = 0; ; waitedMs += RETRY_EVERY_MS) {
    const lock = new Database(file, { readwrite: true, create: true });
    try {
      lock.run('BEGIN EXCLUSIVE');
      return own(lock, join(folder, OWNER_FILE));
    } catch (error) {
      lock.close();
      if (!isBusy(error)) throw error;
      if (waitedMs >= WAIT_MS) throw inUse(ownerOf(folder), folder);
    }
    await Bun.sleep(RETRY_EVERY_MS);
  }
}

/** Leaves an existing file alone, since closing a file releases all of the process's locks on it (POSIX). */
function makeFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (errorCodeOf(error) !== 'EEXIST') throw error;
  }
}

function own(lock: Database, ownerFile: string): () => void {
  writeFileSync(ownerFile, `${process.pid}\n`, { mode: 0o600 });
  return () => {
    rmSync(ownerFile, { force: true });
    lock.close();
  };
}

/** Returns the process that has locked the folder, such as `process 123`, or `null`. Changes nothing. */
export function folderUser(path: string): string | null {
  const folder = dirname(path);
  const file = join(folder, LOCK_FILE);
  if (!existsSync(file)) return null;
  const lock = new Database(file, { readwrite: true });
  try {
    lock.run('BEGIN EXCLUSIVE');
    return null;
  } catch (error) {
    if (!isBusy(error)) throw error;
    return ownerOf(folder) || 'another process';
  } finally {
    lock.close();
  }
}

function gatewayRuns(user: string, folder: string): StoreOpenError {
  return new StoreOpenError(
    `Another gateway is using this data folder: ${folder}${user && ` (${user})`}. Stop it first (or wait, if it is an upgrade that runs), or set SWITCHYARD_DATA to another folder.`,
  );
}

/** Returns `process` and its id, or an empty text if the id is unknown. */
function ownerOf(folder: string): string {
  try {
    return `process ${readFileSync(join(folder, OWNER_FILE), 'utf8').trim()}`;
  } catch {
    return '';
  }
}
