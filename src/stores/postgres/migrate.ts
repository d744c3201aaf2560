import { DEFAULT_MIGRATION_TABLE } from 'kysely/migration';
import type { Pool } from 'pg';
import type { Logger } from '../../engine/ports/logger.ts';
import { newerSchemaError } from '../shared/store-open-error.ts';
import { inTransaction, openPool, query, type Session } from './connection.ts';
import { changeSchema } from './upgrade/change-schema.ts';
import { DEFERRED_STEPS_TABLE, runDeferredSteps } from './upgrade/deferred-steps.ts';
import type { PostgresMigration } from './upgrade/migration.ts';

/** A number that no other program's advisory lock in this database uses: the letters of "switch" as bytes. */
const SCHEMA_LOCK = 0x73_77_69_74_63_68n;
/** Held from the first check to the last step. Earlier versions only know the other lock, and wait for it in a statement. */
const UPGRADE_LOCK = SCHEMA_LOCK + 1n;
const LOOK_AGAIN_MS = 500;

const MIGRATION_TABLE = `create table if not exists ${DEFAULT_MIGRATION_TABLE} (
  name varchar(255) primary key,
  timestamp varchar(255) not null
)`;

/**
 * Migrates the database: first the schema, in one short transaction, then long work in steps during which nodes of the previous version
 * keep serving. Of several nodes that start at once, one migrates and the others wait and find it done.
 */
export async function migrate(
  url: string,
  logger: Logger,
  name: string,
  migrations: Readonly<Record<string, PostgresMigration>>,
): Promise<void> {
  // Uses separate connections without a timeout, since building an index on a large table takes long.
  const pool = openPool({ url, logger, statementTimeoutMs: null, maxConnections: 2 });
  try {
    if (await isUpToDate(pool, name, migrations)) return;
    // Takes a transaction-level lock rather than a session-level one, so that it also works through a pooler.
    await inTransaction(pool, async (session) => {
      await takeTurn(session, logger);
      await upgrade(pool, logger, name, migrations);
    });
  } finally {
    await pool.end();
  }
}

/**
 * Polls for the lock instead of waiting in one statement. That statement would hold a snapshot, which `CREATE INDEX CONCURRENTLY` of the
 * node that holds the lock would wait for in turn, for ever.
 */
async function takeTurn(session: Session, logger: Logger): Promise<void> {
  // The lock is held by an idle transaction.
  await session.query('SET LOCAL idle_in_transaction_session_timeout = 0');
  for (let isTold = false; ; isTold = true) {
    // Has no parameters, since the portal of a statement with parameters keeps its snapshot for the whole transaction.
    const { rows } = await session.query<{ taken: boolean }>(
      `SELECT pg_try_advisory_xact_lock(${UPGRADE_LOCK}) AS taken`,
    );
    if (rows[0]?.taken === true) return;
    if (!isTold) logger.warn({}, 'another node is upgrading the database; waiting for it to finish');
    await Bun.sleep(LOOK_AGAIN_MS);
  }
}

async function upgrade(
  pool: Pool,
  logger: Logger,
  name: string,
  migrations: Readonly<Record<string, PostgresMigration>>,
): Promise<void> {
  for (const table of [MIGRATION_TABLE, DEFERRED_STEPS_TABLE]) await query(pool, table);
  const applied = await appliedMigrations(pool, name, migrations);
  const pending = Object.entries(migrations).filter(([migration]) => !applied.includes(migration));
  if (pending.length > 0) {
    await changeSchema({ pool, logger, name, lock: SCHEMA_LOCK }, pending, applied.length === 0);
    if (applied.length > 0)
      logger.info({ migrations: pending.map(([migration]) => migration) }, 'the schema has been migrated');
  }
  await runDeferredSteps({ pool, logger, name }, migrations);
}

/** Takes no lock, since nearly every start finds the database up to date. */
async function isUpToDate(
  pool: Pool,
  name: string,
  migrations: Readonly<Record<string, PostgresMigration>>,
): Promise<boolean> {
  const { rows } = await query<{ exist: boolean }>(
    pool,
    "SELECT to_regclass($1) IS NOT NULL AND to_regclass('deferred_steps') IS NOT NULL AS exist",
    [DEFAULT_MIGRATION_TABLE],
  );
  if (rows[0]?.exist !== true) return false;
  const applied = await appliedMigrations(pool, name, migrations);
  if (applied.length < Object.keys(migrations).length) return false;
  const { rows: left } = await query(pool, 'SELECT FROM deferred_steps LIMIT 1');
  return left.length === 0;
}

/** Throws a `StoreOpenError` if one is unknown, since a newer version has changed this database. */
async function appliedMigrations(
  pool: Pool,
  name: string,
  migrations: Readonly<Record<string, PostgresMigration>>,
): Promise<readonly string[]> {
  const { rows } = await query<{ name: string }>(pool, `SELECT name FROM ${DEFAULT_MIGRATION_TABLE} ORDER BY name`);
  const applied = rows.map((row) => row.name);
  const unknown = applied.filter((migration) => !Object.hasOwn(migrations, migration));
  if (unknown.length > 0) throw newerSchemaError(name, unknown);
  return applied;
}
