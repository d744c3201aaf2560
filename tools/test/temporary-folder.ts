import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

/** Linux's file system in memory. Tests there never wait for a disk that other work keeps busy. */
const MEMORY = '/dev/shm';
const NAME = /^switchyard-(\d+)$/;
/** Three times what a run of all tests used at most. */
const NEEDED_BYTES = 2 * 1024 ** 3;

/**
 * Makes a folder for the temporary files of this run, in memory if there is room, and removes folders of runs that were killed.
 *
 * @returns its path; the tests' processes get it as `TMPDIR`
 */
export function makeTemporaryFolder(): string {
  removeAbandonedFolders();
  const folder = join(hasRoom() ? MEMORY : tmpdir(), `switchyard-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  // PostgreSQL runs as another user, who must be able to enter.
  chmodSync(folder, 0o711);
  return folder;
}

export function removeTemporaryFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

function removeAbandonedFolders(): void {
  for (const name of existsSync(MEMORY) ? readdirSync(MEMORY) : []) {
    const pid = Number(NAME.exec(name)?.[1]);
    if (pid > 0 && !isRunning(pid)) removeTemporaryFolder(join(MEMORY, name));
  }
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= NEEDED_BYTES && freemem() >= NEEDED_BYTES;
  } catch {
    return false;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
