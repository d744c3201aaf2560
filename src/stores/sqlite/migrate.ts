import type { Database } from 'bun:sqlite';
import { Kysely } from 'kysely';
import type { Logger } from '../../engine/ports/logger.ts';
import {
  baselineOf,
  CREATE_MIGRATION_TABLE,
  FORGET_EARLIER_HISTORY,
  MIGRATION_TABLE,
  type MigrationChain,
  remainingMigrations,
  type SchemaMigration,
} from '../shared/migration-chain.ts';
import { retryWhileBusy, rollBack } from './connection.ts';
import { bunSqliteDialect } from './dialect.ts';
import { SQLITE_CHAIN } from './migrations/index.ts';

/**
 * Migrates the schema in one transaction that takes the write lock before the first read: of several processes that start at once, one
 * migrates and the others find it done. Throws a `StoreOpenError`.
 */
export async function migrate(
  database: Database,
  path: string,
  logger?: Logger,
  chain: MigrationChain<SchemaMigration> = SQLITE_CHAIN,
): Promise<void> {
  await retryWhileBusy(() => database.run('BEGIN IMMEDIATE'));
  try {
    database.run(CREATE_MIGRATION_TABLE);
    const applied = appliedMigrations(database);
    const { imports, pending } = remainingMigrations(path, applied, chain);
    const isUpgrade = applied.length > 0 && (imports !== null || pending.length > 0);
    if (isUpgrade)
      logger?.warn({ bytes: sizeOf(database) }, 'the database file is being upgraded; do not stop this process');
    const beganAtMs = performance.now();
    if (imports !== null) {
      await runAll(database, imports);
      for (const statement of FORGET_EARLIER_HISTORY) database.run(statement);
      record(database, baselineOf(chain));
    }
    await runAll(database, pending);
    database.run('COMMIT');
    if (isUpgrade)
      logger?.info({ ms: Math.round(performance.now() - beganAtMs) }, 'the database file has been upgraded');
  } catch (error) {
    rollBack(database);
    throw error;
  }
}

async function runAll(
  database: Database,
  migrations: readonly (readonly [name: string, migration: SchemaMigration])[],
): Promise<void> {
  const db = new Kysely<unknown>({ dialect: bunSqliteDialect(database) });
  for (const [name, { up }] of migrations) {
    if (typeof up === 'string') database.run(up);
    else await up(db);
    record(database, name);
  }
}

function record(database: Database, migration: string): void {
  const values = [migration, new Date().toISOString()];
  database.run(`INSERT INTO ${MIGRATION_TABLE} (name, timestamp) VALUES (?, ?)`, values);
}

function appliedMigrations(database: Database): string[] {
  const sql = `SELECT name FROM ${MIGRATION_TABLE} ORDER BY name`;
  return database
    .query<{ name: string }, []>(sql)
    .all()
    .map(({ name }) => name);
}

function sizeOf(database: Database): number {
  const sql = 'SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()';
  return database.query<{ bytes: number }, []>(sql).get()?.bytes ?? 0;
}
