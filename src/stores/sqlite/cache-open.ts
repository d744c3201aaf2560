import { Database } from 'bun:sqlite';
import { chmodSync, closeSync, mkdirSync, openSync, readSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { CacheFile, type CacheFileOptions, PAGE_BYTES } from './cache-file.ts';
import { CACHE_APPLICATION_ID, CACHE_SCHEMA, CACHE_SCHEMA_VERSION } from './cache-schema.ts';
import { inTransaction, isDamage } from './connection.ts';

export interface OpenCacheOptions extends CacheFileOptions {
  /** Whether an unreadable file may be replaced: only by the process that owns the data folder. */
  readonly mayReplace: boolean;
}

/** Only another process can hold the lock, and only for a short batch. */
const BUSY_MS = 2_000;
const MAGIC = 'SQLite format 3\0';
/** https://www.sqlite.org/fileformat.html: "Application ID" */
const APPLICATION_ID_OFFSET = 68;

/** Thrown if the file's format is not the one of this release. */
class OtherFormError extends Error {}

/**
 * Opens or creates a cache file. A damaged file or one of another release is replaced; one that seems to be something else is moved aside.
 * `notes` receives log messages about that. Throws if there can be no file.
 */
export function openCacheFile(options: OpenCacheOptions, notes: string[]): CacheFile {
  try {
    return opened(options);
  } catch (error) {
    if (!options.mayReplace || !(isDamage(error) || error instanceof OtherFormError)) throw error;
    notes.push(replaceCacheFile(options.path, error));
    return opened(options);
  }
}

/** Replaces the file and returns a message for the log. */
export function replaceCacheFile(path: string, error: unknown): string {
  const aside = `${path}.set-aside`;
  const isOurs = applicationIdOf(path) === CACHE_APPLICATION_ID;
  if (isOurs) rmSync(path, { force: true });
  else renameSync(path, aside);
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
  const reason = error instanceof Error ? error.message : String(error);
  const what = isOurs ? 'was replaced by an empty one' : `was moved to ${aside}`;
  return `the cache file cannot be used (${reason}); it ${what}`;
}

function opened(options: OpenCacheOptions): CacheFile {
  const { path } = options;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
  const database = new Database(path, { readwrite: true });
  try {
    database.run(`PRAGMA busy_timeout = ${BUSY_MS}`);
    database.run(`PRAGMA page_size = ${PAGE_BYTES}`);
    database.run('PRAGMA auto_vacuum = INCREMENTAL');
    database.run('PRAGMA journal_mode = WAL');
    // Checksums detect damage from a power loss, and the lost entries can be recreated. The ledger's writes must not wait for these.
    database.run('PRAGMA synchronous = OFF');
    inTransaction(database, 'IMMEDIATE', () => migrate(database));
    return new CacheFile(database, options);
  } catch (error) {
    database.close();
    throw error;
  }
}

function migrate(database: Database): void {
  const version = pragma(database, 'user_version');
  const isEmpty = database.query('SELECT 1 FROM sqlite_schema').get() === null;
  if (isEmpty && version === 0) {
    database.run(CACHE_SCHEMA);
    database.run(`PRAGMA application_id = ${CACHE_APPLICATION_ID}`);
    database.run(`PRAGMA user_version = ${CACHE_SCHEMA_VERSION}`);
  } else if (pragma(database, 'application_id') !== CACHE_APPLICATION_ID || version !== CACHE_SCHEMA_VERSION) {
    throw new OtherFormError('this version does not support its format');
  }
}

function pragma(database: Database, name: 'user_version' | 'application_id'): number {
  return database.query<Record<string, number>, []>(`PRAGMA ${name}`).get()?.[name] ?? 0;
}

/** Returns `null` if the file is not a database. */
function applicationIdOf(path: string): number | null {
  const header = Buffer.alloc(APPLICATION_ID_OFFSET + 4);
  const file = openSync(path, 'r');
  try {
    const length = readSync(file, header, 0, header.length, 0);
    const isDatabase = length === header.length && header.toString('latin1', 0, MAGIC.length) === MAGIC;
    return isDatabase ? header.readUInt32BE(APPLICATION_ID_OFFSET) : null;
  } finally {
    closeSync(file);
  }
}
