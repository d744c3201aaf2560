import type { Database } from 'bun:sqlite';
import type { Kysely } from 'kysely';
import { DEFAULT_MIGRATION_TABLE, type Migration, Migrator } from 'kysely/migration';
import { newerSchemaError } from '../shared/store-open-error.ts';
import { retryWhileBusy, rollBack } from './connection.ts';

/**
 * Brings the schema up to date, in one transaction that holds the write lock from before the first look: of several
 * processes that start at once one migrates and the others find it done. (Kysely's own lock does nothing on SQLite.)
 */
export async function migrate<Tables>(
  database: Database,
  db: Kysely<Tables>,
  path: string,
  migrations: Readonly<Record<string, Migration>>,
): Promise<void> {
  await retryWhileBusy(() => database.run('BEGIN IMMEDIATE'));
  try {
    const unknown = appliedMigrations(database).filter((name) => !Object.hasOwn(migrations, name));
    if (unknown.length > 0) throw newerSchemaError(path, unknown);
    const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) } });
    const { error } = await migrator.migrateToLatest();
    if (error !== undefined) throw error;
    database.run('COMMIT');
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
