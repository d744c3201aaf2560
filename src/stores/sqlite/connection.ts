import { Database } from 'bun:sqlite';
import { errorCodeOf } from '../shared/error-code.ts';

export const BUSY_TIMEOUT_MS = 5_000;
const RETRY_EVERY_MS = 10;
/** After a burst the write-ahead log's file shrinks to this at the next checkpoint. */
const WAL_SIZE_LIMIT_BYTES = 64 * 1024 * 1024;

/**
 * Opens one connection in WAL mode, without a busy timeout: `retryWhileBusy` waits without blocking the process.
 *
 * @param safeIntegers whether integers come back as `bigint`, so that none beyond 2^53 loses units
 */
export function openConnection(path: string, synchronous: 'FULL' | 'NORMAL', safeIntegers = false): Database {
  const database = new Database(path, { readwrite: true, create: true, safeIntegers });
  try {
    database.run('PRAGMA journal_mode = WAL');
    database.run(`PRAGMA synchronous = ${synchronous}`);
    database.run('PRAGMA foreign_keys = ON');
    database.run(`PRAGMA journal_size_limit = ${WAL_SIZE_LIMIT_BYTES}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** How long a statement blocks the process while another one holds the write lock. */
export function setBusyTimeout(database: Database, milliseconds: number): void {
  database.run(`PRAGMA busy_timeout = ${milliseconds}`);
}

/**
 * Tries `action` again for as long as another connection holds a lock, in all `BUSY_TIMEOUT_MS`. SQLite's own busy
 * timeout does not cover the switch to WAL, and it would block a second store that this same process is opening.
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

/** Runs `work` in one transaction: committed when it returns, undone when it throws. */
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

/** SQLite has already rolled back by itself after some errors (a full disk); a second time would be an error. */
export function rollBack(database: Database): void {
  if (database.inTransaction) database.run('ROLLBACK');
}

export function isBusy(error: unknown): boolean {
  const code = errorCodeOf(error);
  return code !== null && (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED'));
}

/** Whether the database could not take a write that it may take later: somebody else has it locked, or the disk fails it. */
export function isOutage(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|READONLY|NOMEM|PROTOCOL)/.test(errorCodeOf(error) ?? '');
}

/** Whether the file itself is broken, so that no later attempt can succeed. */
export function isDamage(error: unknown): boolean {
  const code = errorCodeOf(error);
  return code !== null && (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB');
}
