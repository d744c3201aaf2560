import { hostname } from 'node:os';
import type { Pool } from 'pg';
import type { Logger } from '../../engine/ports/logger.ts';
import { CREATE_MIGRATION_TABLE, remainingMigrations } from '../shared/migration-chain.ts';
import {
  AUTOMATIC_UPGRADE,
  refusedUpgradeError,
  type UpgradePlan,
  type UpgradePolicy,
  upgradeFields,
} from '../shared/upgrade-plan.ts';
import { inTransaction, OPENING_TIMEOUT_MS, openPool, query, type Session } from './connection.ts';
import { POSTGRES_CHAIN } from './migrations/index.ts';
import { databaseName, toStoreOpenError, wrongUrlError } from './open-error.ts';
import { refuseOldServer } from './server-version.ts';
import { changeSchema } from './upgrade/change-schema.ts';
import { DEFERRED_STEPS_TABLE, runDeferredSteps } from './upgrade/deferred-steps.ts';
import { areFunctionsOlder, FUNCTIONS_TABLE } from './upgrade/functions.ts';
import { importDatabase } from './upgrade/import.ts';
import type { PostgresChain } from './upgrade/migration.ts';
import { appliedMigrations, planUpgrade, upgraderOf } from './upgrade/plan.ts';

/** A number that no other program's advisory lock in this database uses: the letters of "switch" as bytes. */
const SCHEMA_LOCK = 0x73_77_69_74_63_68n;
/** Held from the first check to the last step. Earlier versions only know the other lock, and wait for it in a statement. */
const UPGRADE_LOCK = SCHEMA_LOCK + 1n;
const LOOK_AGAIN_MS = 500;

export interface PostgresUpgrade {
  /** The URL of `PostgresStoreOptions`. */
  readonly url: string;
  readonly logger: Logger;
}

/** Plans the upgrade of the database without changing it. Rejects with a `StoreOpenError`. */
export function planDatabaseUpgrade(options: PostgresUpgrade): Promise<UpgradePlan> {
  return explained(options, async (name) => {
    const pool = openUpgradePool(options);
    try {
      await inTransaction(pool, (session) => refuseOldServer(session, name));
      return await planUpgrade(pool, name, POSTGRES_CHAIN, UPGRADE_LOCK);
    } finally {
      await pool.end();
    }
  });
}

/** Upgrades the database and resolves to what was to be done. Rejects with a `StoreOpenError`. */
export function upgradeDatabase(options: PostgresUpgrade): Promise<UpgradePlan> {
  return explained(options, async (name) => {
    const pool = openUpgradePool(options);
    await inTransaction(pool, (session) => refuseOldServer(session, name)).finally(() => pool.end());
    return migrate(options.url, options.logger, name);
  });
}

async function explained({ url }: PostgresUpgrade, work: (name: string) => Promise<UpgradePlan>): Promise<UpgradePlan> {
  if (!/^postgres(?:ql)?:\/\//.test(url) || !URL.canParse(url)) throw wrongUrlError();
  const name = databaseName(url);
  try {
    return await work(name);
  } catch (error) {
    throw toStoreOpenError(name, error);
  }
}

/** Uses separate connections without a timeout, since building an index on a large table takes long. Others see their name. */
function openUpgradePool({ url, logger }: PostgresUpgrade): Pool {
  const applicationName = `switchyard upgrade, ${hostname()}:${process.pid}`;
  const options = { statementTimeoutMs: null, connectTimeoutMs: OPENING_TIMEOUT_MS, maxConnections: 2 };
  return openPool({ url, logger, ...options, applicationName });
}

/**
 * Migrates the database: first the functions and the schema, in one short transaction, then long work in steps during which nodes of the previous version
 * keep serving. Of several nodes that start at once, one migrates and the others wait and find it done. Resolves to what was to be done. Throws a
 * `StoreOpenError`.
 */
export async function migrate(
  url: string,
  logger: Logger,
  name: string,
  chain: PostgresChain = POSTGRES_CHAIN,
  policy: UpgradePolicy = AUTOMATIC_UPGRADE,
): Promise<UpgradePlan> {
  const pool = openUpgradePool({ url, logger });
  const plan = () => planUpgrade(pool, name, chain, UPGRADE_LOCK);
  try {
    const first = await plan();
    if (first.state === 'current') return first;
    // A process that may not upgrade still waits for another one that does.
    const isLong = first.usedBy !== null || (first.state === 'due' && policy.mode === 'auto');
    if (isLong) await policy.beforeUpgrade?.(first);
    // Takes a transaction-level lock rather than a session-level one, so that it also works through a pooler.
    await inTransaction(pool, async (session) => {
      await takeTurn(pool, session, logger);
      const due = await plan();
      if (due.state === 'current') return;
      if (due.state === 'due' && policy.mode === 'refuse') throw refusedUpgradeError(due);
      if (due.state === 'due') logger.warn(upgradeFields(due), 'the database is being upgraded');
      await upgrade(pool, logger, name, chain);
    });
    return first;
  } finally {
    await pool.end();
  }
}

/**
 * Polls for the lock instead of waiting in one statement. That statement would hold a snapshot, which `CREATE INDEX CONCURRENTLY` of the
 * node that holds the lock would wait for in turn, for ever.
 */
async function takeTurn(pool: Pool, session: Session, logger: Logger): Promise<void> {
  // The lock is held by an idle transaction.
  await session.query('SET LOCAL idle_in_transaction_session_timeout = 0');
  for (let isTold = false; ; isTold = true) {
    // Has no parameters, since the portal of a statement with parameters keeps its snapshot for the whole transaction.
    const { rows } = await session.query<{ taken: boolean }>(
      `SELECT pg_try_advisory_xact_lock(${UPGRADE_LOCK}) AS taken`,
    );
    if (rows[0]?.taken === true) return;
    if (!isTold) {
      const holder = await upgraderOf(pool, UPGRADE_LOCK);
      logger.warn({ holder }, 'another node is upgrading the database; waiting for it to finish');
    }
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
