import type { Pool } from 'pg';
import type { Logger } from '../../engine/ports/logger.ts';
import { CREATE_MIGRATION_TABLE, MIGRATION_TABLE, remainingMigrations } from '../shared/migration-chain.ts';
import { inTransaction, openPool, query, type Session } from './connection.ts';
import { POSTGRES_CHAIN } from './migrations/index.ts';
import { changeSchema } from './upgrade/change-schema.ts';
import { DEFERRED_STEPS_TABLE, runDeferredSteps } from './upgrade/deferred-steps.ts';
import { areFunctionsOlder, FUNCTIONS_TABLE } from './upgrade/functions.ts';
import { importDatabase } from './upgrade/import.ts';
import type { PostgresChain } from './upgrade/migration.ts';

/** A number that no other program's advisory lock in this database uses: the letters of "switch" as bytes. */
const SCHEMA_LOCK = 0x73_77_69_74_63_68n;
/** Held from the first check to the last step. Earlier versions only know the other lock, and wait for it in a statement. */
const UPGRADE_LOCK = SCHEMA_LOCK + 1n;
const LOOK_AGAIN_MS = 500;

/**
 * Migrates the database: first the functions and the schema, in one short transaction, then long work in steps during which nodes of the previous version
 * keep serving. Of several nodes that start at once, one migrates and the others wait and find it done.
 */
export async function migrate(
  url: string,
  logger: Logger,
  name: string,
  chain: PostgresChain = POSTGRES_CHAIN,
): Promise<void> {
  // Uses separate connections without a timeout, since building an index on a large table takes long.
  const pool = openPool({ url, logger, statementTimeoutMs: null, maxConnections: 2 });
  try {
    if (await isUpToDate(pool, name, chain)) return;
    // Takes a transaction-level lock rather than a session-level one, so that it also works through a pooler.
    await inTransaction(pool, async (session) => {
      await takeTurn(session, logger);
      await upgrade(pool, logger, name, chain);
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

async function upgrade(pool: Pool, logger: Logger, name: string, chain: PostgresChain): Promise<void> {
  for (const table of [CREATE_MIGRATION_TABLE, DEFERRED_STEPS_TABLE, FUNCTIONS_TABLE]) await query(pool, table);
  const change = { pool, logger, name, lock: SCHEMA_LOCK };
  const applied = await appliedMigrations(pool);
  const { imports, pending } = remainingMigrations(name, applied, chain);
  if (imports !== null) await importDatabase(change, imports, chain);
  const isNew = applied.length === 0;
  const functions = (await areFunctionsOlder(pool, chain.functions)) ? chain.functions : null;
  if (pending.length > 0 || functions !== null) {
    await changeSchema(change, { pending, isNew, functions });
    const told = { migrations: pending.map(([migration]) => migration), functions: functions?.version };
    if (!isNew) logger.info(told, 'the schema has been migrated');
  }
  await runDeferredSteps(change, chain.migrations);
}

/** Takes no lock, since nearly every start finds the database up to date. */
async function isUpToDate(pool: Pool, name: string, chain: PostgresChain): Promise<boolean> {
  const { rows } = await query<{ exist: boolean }>(
    pool,
    'SELECT bool_and(to_regclass(name) IS NOT NULL) AS exist FROM unnest($1::text[]) AS name',
    [[MIGRATION_TABLE, 'deferred_steps', 'functions_version']],
  );
  if (rows[0]?.exist !== true) return false;
  const { imports, pending } = remainingMigrations(name, await appliedMigrations(pool), chain);
  if (imports !== null || pending.length > 0 || (await areFunctionsOlder(pool, chain.functions))) return false;
  const { rows: left } = await query(pool, 'SELECT FROM deferred_steps LIMIT 1');
  return left.length === 0;
}

async function appliedMigrations(pool: Pool): Promise<readonly string[]> {
  const { rows } = await query<{ name: string }>(pool, `SELECT name FROM ${MIGRATION_TABLE} ORDER BY name`);
  return rows.map((row) => row.name);
}
