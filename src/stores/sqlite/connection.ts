import { Database } from 'bun:sqlite';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCodeOf } from '../shared/error-code.ts';

export const BUSY_TIMEOUT_MS = 5_000;
const RETRY_EVERY_MS = 10;
/** The WAL file shrinks to this size at the next checkpoint after a burst. */
const WAL_SIZE_LIMIT_BYTES = 64 * 1024 * 1024;
/**
 * A commit that finds more pages in the WAL makes a checkpoint itself. In a gateway, `Checkpoints` has usually made it before, and nearly
 * nothing is left to copy; the next commit then begins the WAL anew.
 */
const WAL_PAGES = 4_000;

/**
 * Opens a connection in WAL mode without a busy timeout; `retryWhileBusy` waits without blocking the process.
 *
 * @param safeIntegers whether integers are returned as `bigint`, so that those beyond 2^53 keep their precision
 */
export function openConnection(path: string, synchronous: 'FULL' | 'NORMAL', safeIntegers = false): Database {
  const database = new Database(path, { readwrite: true, create: true, safeIntegers });
  try {
    database.run('PRAGMA journal_mode = WAL');
    database.run(`PRAGMA synchronous = ${synchronous}`);
    database.run('PRAGMA foreign_keys = ON');
    database.run(`PRAGMA journal_size_limit = ${WAL_SIZE_LIMIT_BYTES}`);
    database.run(`PRAGMA wal_autocheckpoint = ${WAL_PAGES}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Creates the file for its owner only, since it contains hashes and sealed keys. SQLite gives its side files the same mode. */
export function makeFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600));
}

/** Sets how long a statement blocks the process while another holds the write lock. */
export function setBusyTimeout(database: Database, milliseconds: number): void {
  database.run(`PRAGMA busy_timeout = ${milliseconds}`);
}

/**
 * Retries `action` while another connection holds a lock, for at most `BUSY_TIMEOUT_MS`. SQLite's own busy timeout does not cover the
 * switch to WAL, and would block another store that this process is opening.
 */
export async function retryWhileBusy<Result>(action: () => Result | Promise<Result>): Promise<Result> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await action();
    } catch (error) {
      if (!isBusy(error) || attempt * RETRY_EVERY_MS >= BUSY_TIMEOUT_MS) throw error;
      await Bun.sleep(RETRY_EVERY_MS);
    }
  }
}

/** Runs `work` in one transaction, which is committed when it returns and rolled back when it throws. */
export function inTransaction<Result>(database: Database, mode: 'DEFERRED' | 'IMMEDIATE', work: () => Result): Result {
  database.run(`BEGIN ${mode}`);
  try {
    const result = work();
    database.run('COMMIT');
    return result;
  } catch (error) {
    rollBack(database);
    throw error;
  }
}

/** Rolls back, unless SQLite has already done so after an error such as a full disk; a second ROLLBACK would fail. */
export function rollBack(database: Database): void {
  if (database.inTransaction) database.run('ROLLBACK');
}

export function isBusy(error: unknown): boolean {
  const code = errorCodeOf(error);
  return code !== null && (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED'));
}

/** Whether a failed write may succeed later: the database is locked, or the disk has failed it. */
export function isOutage(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|READONLY|NOMEM|PROTOCOL)/.test(errorCodeOf(error) ?? '');
}

/** Whether the file itself is damaged, so that no retry can succeed. */
export function isDamage(error: unknown): boolean {
  const code = errorCodeOf(error);
  return code !== null && (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB');
}
