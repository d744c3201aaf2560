import { Database } from 'bun:sqlite';
import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
 * @returns a function that unlocks the folder
 */
export async function lockFolder(path: string): Promise<() => void> {
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
      if (waitedMs >= WAIT_MS) throw inUse(folder);
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

function inUse(folder: string): StoreOpenError {
  return new StoreOpenError(
    `Another gateway is using this data folder: ${folder}${ownerOf(folder)}. Stop it first, or set SWITCHYARD_DATA to another folder.`,
  );
}

function ownerOf(folder: string): string {
  try {
    return ` (process ${readFileSync(join(folder, OWNER_FILE), 'utf8').trim()})`;
  } catch {
    return '';
  }
}
