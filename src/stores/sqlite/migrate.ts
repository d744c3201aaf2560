import type { Database } from 'bun:sqlite';
import type { Kysely } from 'kysely';
import { DEFAULT_MIGRATION_TABLE, type Migration, Migrator } from 'kysely/migration';
import type { Logger } from '../../engine/ports/logger.ts';
import { newerSchemaError } from '../shared/store-open-error.ts';
import { retryWhileBusy, rollBack } from './connection.ts';

/**
 * Migrates the schema in one transaction that takes the write lock before the first read: of several processes that start at once, one
 * migrates and the others find it done. (Kysely's own lock does nothing on SQLite.)
 */
export async function migrate<Tables>(
  database: Database,
  db: Kysely<Tables>,
  path: string,
  migrations: Readonly<Record<string, Migration>>,
  logger?: Logger,
): Promise<void> {
  await retryWhileBusy(() => database.run('BEGIN IMMEDIATE'));
  try {
    const applied = appliedMigrations(database);
    const unknown = applied.filter((name) => !Object.hasOwn(migrations, name));
    if (unknown.length > 0) throw newerSchemaError(path, unknown);
    const isUpgrade = applied.length > 0 && applied.length < Object.keys(migrations).length;
    if (isUpgrade)
      logger?.warn({ bytes: sizeOf(database) }, 'the database file is being upgraded; do not stop this process');
    const beganAtMs = performance.now();
    const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) } });
    const { error } = await migrator.migrateToLatest();
    if (error !== undefined) throw error;
    database.run('COMMIT');
    if (isUpgrade)
      logger?.info({ ms: Math.round(performance.now() - beganAtMs) }, 'the database file has been upgraded');
  } catch (error) {
    rollBack(database);
    throw error;
  }
}

function appliedMigrations(database: Database): string[] {
  const table = database.query('SELECT 1 FROM sqlite_master WHERE name = ?').get(DEFAULT_MIGRATION_TABLE);
  if (table === null) return [];
  return database
    .query<{ name: string }, []>(`SELECT name FROM ${DEFAULT_MIGRATION_TABLE} ORDER BY name`)
    .all()
    .map(({ name }) => name);
}

function sizeOf(database: Database): number {
  const sql = 'SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()';
  return database.query<{ bytes: number }, []>(sql).get()?.bytes ?? 0;
}
