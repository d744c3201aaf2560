import { Kysely, PostgresDialect } from 'kysely';
import { DEFAULT_MIGRATION_TABLE, type Migration, Migrator } from 'kysely/migration';
import type { Logger } from '../../engine/ports/logger.ts';
import { newerSchemaError } from '../shared/store-open-error.ts';
import { inTransaction, openPool, type Session } from './connection.ts';

/** Any number that no other program's advisory lock in this database has: the letters of "switch" as bytes. */
const MIGRATION_LOCK = 0x73_77_69_74_63_68n;

/**
 * Brings the schema up to date under a lock: of several nodes that start at once one migrates and the others wait, and find
 * it done. The lock is a transaction's and not a session's, so that it also works through a pooler.
 */
export async function migrate(
  url: string,
  logger: Logger,
  name: string,
  migrations: Readonly<Record<string, Migration>>,
): Promise<void> {
  // Connections of its own, without a timeout: a change of a large table takes its time, and the other nodes wait as long.
  const pool = openPool({ url, logger, statementTimeoutMs: null, maxConnections: 2 });
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  try {
    await inTransaction(pool, async (session) => {
      await session.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
      const applied = await appliedMigrations(session);
      const unknown = applied.filter((migration) => !Object.hasOwn(migrations, migration));
      if (unknown.length > 0) throw newerSchemaError(name, unknown);
      if (applied.length === Object.keys(migrations).length) return;
      const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) } });
      const { error } = await migrator.migrateToLatest();
      if (error !== undefined) throw error;
    });
  } finally {
    await db.destroy();
    // Kysely ends a pool only if it has used it, which is not so where nothing had to be migrated.
    if (!pool.ended) await pool.end();
  }
}

async function appliedMigrations(session: Session): Promise<string[]> {
  const { rows: found } = await session.query('SELECT 1 WHERE to_regclass($1) IS NOT NULL', [DEFAULT_MIGRATION_TABLE]);
  if (found.length === 0) return [];
  const { rows } = await session.query<{ name: string }>(`SELECT name FROM ${DEFAULT_MIGRATION_TABLE} ORDER BY name`);
  return rows.map(({ name }) => name);
}
