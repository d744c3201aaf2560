import type { Database } from 'bun:sqlite';
import { existsSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { LedgerReport } from '../../engine/ports/ledger.ts';
import { MIGRATION_TABLE, remainingMigrations } from '../shared/migration-chain.ts';
import { opensWith } from '../shared/secret/change-secret.ts';
import { StoreOpenError } from '../shared/store-open-error.ts';
import { transactionOf } from './change-secret.ts';
import { openConnection, retryWhileBusy } from './connection.ts';
import { SQLITE_CHAIN } from './migrations/index.ts';
import { toStoreOpenError } from './open-error.ts';
import { ReadingThread } from './reading-thread.ts';
import { upgradeFile } from './upgrade-file.ts';
import { verifyLedger } from './verify-ledger.ts';

/** Resolves to the size of a copy of the database in bytes. Rejects with a `StoreOpenError` if there is no database. */
export function copiedBytes(path: string): Promise<number> {
  return withDatabase(path, (database) => {
    const sql = `SELECT (page_count - freelist_count) * page_size AS bytes
      FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()`;
    return Number(database.query<{ bytes: bigint }, []>(sql).get()?.bytes ?? 0n);
  });
}

/**
 * Copies the committed state of one moment to a new file, readable only by its owner, while a gateway runs and writes. The copy has no
 * deleted rows. The WAL file grows by whatever is written meanwhile. Resolves to the names of the migrations of the database. Rejects
 * with the database's own error, such as `SQLITE_FULL`.
 */
export async function copyDatabase(path: string, target: string): Promise<readonly string[]> {
  // SQLite writes into an existing file if it is empty, and keeps its mode.
  const file = await open(target, 'wx', 0o600);
  const thread = new ReadingThread(path);
  try {
    await synced(file, thread.copyTo(target));
  } catch (error) {
    throw isFull(error) ? error : toStoreOpenError(path, error);
  } finally {
    await thread.close();
    await file.close();
  }
  return migrationsOf(target);
}

/** Without this, the whole copy would go to the disk at once, and the writes of a gateway would wait behind it. */
const SYNC_EVERY_MS = 200;

async function synced(file: FileHandle, copying: Promise<void>): Promise<void> {
  const done = copying.then(() => true);
  while (!(await Promise.race([done, Bun.sleep(SYNC_EVERY_MS).then(() => false)]))) await file.datasync();
  await file.datasync();
}

/** Reads from the copy, since a gateway of a newer version may just have migrated the database. */
async function migrationsOf(target: string): Promise<readonly string[]> {
  return withDatabase(target, (copy) => {
    const rows = copy.query<{ name: string }, []>(`SELECT name FROM ${MIGRATION_TABLE} ORDER BY name`).all();
    return rows.map(({ name }) => name);
  });
}

/** Resolves to whether the secret decrypts a copy. */
export function copyOpensWith(target: string, secret: string): Promise<boolean> {
  return withDatabase(target, (copy) => opensWith(transactionOf(copy), secret));
}

/** Throws a `StoreOpenError` if this version cannot open a database with these migrations. */
export function refuseUnknownMigrations(name: string, migrations: readonly string[]): void {
  remainingMigrations(name, migrations, SQLITE_CHAIN);
}

export interface CheckedDatabase {
  readonly ledger: LedgerReport;
  /** Whether the secret decrypts the database; `null` without a secret. */
  readonly opens: boolean | null;
  /** Whether something in the database is encrypted. */
  readonly isSealed: boolean;
}

/**
 * Upgrades a copy that no gateway uses, and verifies its pages, its ledger and its secret. Rejects with a `StoreOpenError` if the file is
 * damaged.
 */
export async function checkCopy(path: string, secret: string | null): Promise<CheckedDatabase> {
  await withDatabase(path, refuseDamage);
  await upgradeFile({ path, ownsFolder: true });
  return withDatabase(path, async (database) => {
    const transaction = transactionOf(database);
    const opens = secret === null ? null : await opensWith(transaction, secret);
    const isSealed = database.query('SELECT 1 FROM secret_check').get() !== null;
    const ledger = verifyLedger(database);
    // Merges the WAL, so that the copy is one file again.
    database.run('PRAGMA journal_mode = DELETE');
    return { ledger, opens, isSealed };
  });
}

function refuseDamage(database: Database): void {
  const [found] = database.query<{ quick_check: string }, []>('PRAGMA quick_check(1)').all();
  if (found?.quick_check === 'ok') return;
  throw new StoreOpenError(`The database in the backup is damaged: ${found?.quick_check ?? 'it cannot be read'}`);
}

async function withDatabase<Result>(path: string, use: (database: Database) => Result | Promise<Result>) {
  if (!existsSync(path)) {
    throw new StoreOpenError(
      `There is no database ${path}. Name the gateway's data folder with --data or SWITCHYARD_DATA.`,
    );
  }
  let database: Database | null = null;
  try {
    const opened = await retryWhileBusy(() => openConnection(path, 'FULL', true));
    database = opened;
    return await retryWhileBusy(() => use(opened));
  } catch (error) {
    throw isFull(error) ? error : toStoreOpenError(path, error);
  } finally {
    database?.close();
  }
}

function isFull(error: unknown): boolean {
  return (
    error instanceof Error && 'code' in error && /^(SQLITE_FULL|SQLITE_IOERR|ENOSPC|EDQUOT)/.test(String(error.code))
  );
}
