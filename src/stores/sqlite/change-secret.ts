import type { Database } from 'bun:sqlite';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { NewAuditEntry } from '../../engine/ports/audit-log.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import type { SecretTransaction } from '../shared/secret/change-secret.ts';
import type { UpgradePolicy } from '../shared/upgrade-plan.ts';
import { appending, toAuditValues } from '../sql/audit.ts';
import { runAtOnce, SQLITE } from '../sql/program.ts';
import { runStatement } from '../sql/sqlite-statement.ts';
import { openConnection, retryWhileBusy, rollBack } from './connection.ts';
import { lockFolder } from './folder-lock.ts';
import { migrate } from './migrate.ts';
import { toStoreOpenError } from './open-error.ts';
import { refuseUnfinishedRestore } from './unfinished-restore.ts';

/**
 * Runs `work` in one transaction while no gateway can use the folder. If it is killed, nothing has changed. Rejects with a `StoreOpenError`
 * if a gateway is running or the file cannot be opened.
 */
export async function inSqliteSecretTransaction<Result>(
  {
    path,
    logger,
    upgrade: policy,
  }: { readonly path: string; readonly logger: Logger; readonly upgrade: UpgradePolicy },
  work: (
    transaction: SecretTransaction,
  ) => Promise<{ readonly result: Result; readonly audit: readonly NewAuditEntry[] }>,
): Promise<Result> {
  let unlock = () => {};
  let database: Database | null = null;
  try {
    unlock = await lockFolder(path);
    const opened = await retryWhileBusy(() => openConnection(path, 'FULL'));
    database = opened;
    await migrate(opened, path, { logger, policy, ownsFolder: true });
    await retryWhileBusy(() => opened.run('BEGIN IMMEDIATE'));
    const { result, audit } = await work(transactionOf(opened));
    runAtOnce(appending(SQLITE, audit.map(toAuditValues)), (asked) => runStatement(opened, asked));
    opened.run('COMMIT');
    return result;
  } catch (error) {
    if (database !== null) rollBack(database);
    throw error instanceof Error && 'code' in error ? toStoreOpenError(path, error) : error;
  } finally {
    database?.close();
    unlock();
  }
}

export function transactionOf(database: Database): SecretTransaction {
  return { dialect: SQLITE, run: async (statement) => runStatement(database, statement) };
}

const SEALED_TABLES = [
  ...['secret_check', 'responses', 'captures', 'alert_targets', 'sign_in_two_factors'],
  ...['files', 'batches'],
];
const SEALED_COLUMNS = [
  ['channels', 'sealed_api_key'],
  ['channels', 'sealed_api_keys'],
  ['tasks', 'sealed_ticket'],
  ['tasks', 'sealed_ending'],
  ['tasks', 'sealed_request'],
  ['cache_reports', 'sealed_description'],
  ['idempotent_requests', 'sealed_answer'],
] as const;

/**
 * Whether the file contains data encrypted with its master secret. The file may be of an earlier version. Rejects with a `StoreOpenError` if
 * a restore was interrupted, since the file may be missing then.
 */
export async function holdsSealedRows(path: string): Promise<boolean> {
  refuseUnfinishedRestore(dirname(path));
  if (!existsSync(path)) return false;
  try {
    const database = await retryWhileBusy(() => openConnection(path, 'FULL'));
    try {
      const tables = SEALED_TABLES.map((table) => [table, 'true'] as const);
      // An earlier version may lack a column.
      const hasColumn = database.query('SELECT 1 FROM pragma_table_info(?) WHERE name = ?');
      const known = SEALED_COLUMNS.filter(([table, column]) => hasColumn.get(table, column) !== null);
      const columns = known.map(([table, column]) => [table, `${column} IS NOT NULL`] as const);
      return [...tables, ...columns].some(([table, condition]) => {
        const isThere = database.query('SELECT 1 FROM sqlite_schema WHERE name = ?').get(table) !== null;
        return isThere && database.query(`SELECT 1 FROM ${table} WHERE ${condition} LIMIT 1`).get() !== null;
      });
    } finally {
      database.close();
    }
  } catch (error) {
    throw toStoreOpenError(path, error);
  }
}
