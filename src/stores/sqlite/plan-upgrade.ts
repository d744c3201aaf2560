import { Database } from 'bun:sqlite';
import { statSync } from 'node:fs';
import {
  MIGRATION_TABLE,
  type MigrationChain,
  remainingMigrations,
  type SchemaMigration,
} from '../shared/migration-chain.ts';
import type { PlannedChange, UpgradePlan } from '../shared/upgrade-plan.ts';
import { retryWhileBusy } from './connection.ts';
import { folderUser } from './folder-lock.ts';
import { SQLITE_CHAIN } from './migrations/index.ts';
import { toStoreOpenError } from './open-error.ts';

/** Plans the upgrade of the file at `path`, which need not exist, without changing it. Rejects with a `StoreOpenError`. */
export async function planFileUpgrade(path: string): Promise<UpgradePlan> {
  let database: Database | null = null;
  try {
    if (!hasContent(path)) return absent(path, SQLITE_CHAIN);
    const opened = await retryWhileBusy(() => new Database(path, { readonly: true }));
    database = opened;
    const plan = await retryWhileBusy(() => planUpgrade(opened, path, SQLITE_CHAIN));
    return { ...plan, usedBy: folderUser(path) };
  } catch (error) {
    throw toStoreOpenError(path, error);
  } finally {
    database?.close();
  }
}

/** Plans the upgrade of an open database. Throws a `StoreOpenError` if this version cannot upgrade it. */
export function planUpgrade(database: Database, path: string, chain: MigrationChain<SchemaMigration>): UpgradePlan {
  const applied = appliedMigrations(database);
  if (applied.length === 0) return absent(path, chain);
  const { imports, pending } = remainingMigrations(path, applied, chain);
  const changes = [...(imports ?? []), ...pending].map(
    ([name, { rowsOf = [] }]): PlannedChange => ({ name, how: 'at_once', rows: rowsIn(database, rowsOf) }),
  );
  // A database from before the baseline gets another history, even if no migration is missing.
  const state = imports === null && changes.length === 0 ? 'current' : 'due';
  return { database: path, kind: 'sqlite', state, changes, usedBy: null };
}

function absent(path: string, chain: MigrationChain<SchemaMigration>): UpgradePlan {
  const changes = Object.keys(chain.migrations).map((name): PlannedChange => ({ name, how: 'at_once', rows: 0 }));
  return { database: path, kind: 'sqlite', state: 'absent', changes, usedBy: null };
}

function hasContent(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && found.size > 0;
}

/** Returns the names of the applied migrations; none if there is no table of them. */
export function appliedMigrations(database: Database): readonly string[] {
  if (!hasTable(database, MIGRATION_TABLE)) return [];
  const sql = `SELECT name FROM ${MIGRATION_TABLE} ORDER BY name`;
  return database
    .query<{ name: string }, []>(sql)
    .all()
    .map(({ name }) => name);
}

function rowsIn(database: Database, tables: readonly string[]): number {
  return tables
    .filter((table) => hasTable(database, table))
    .map((table) => database.query<{ rows: number }, []>(`SELECT count(*) AS rows FROM ${table}`).get()?.rows ?? 0)
    .reduce((sum, rows) => sum + rows, 0);
}

function hasTable(database: Database, name: string): boolean {
  return database.query("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(name) !== null;
}
