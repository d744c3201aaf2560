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
import {
  AUTOMATIC_UPGRADE,
  refusedUpgradeError,
  type UpgradePlan,
  type UpgradePolicy,
  upgradeFields,
  upgradeInUseError,
} from '../shared/upgrade-plan.ts';
import { retryWhileBusy, rollBack } from './connection.ts';
import { bunSqliteDialect } from './dialect.ts';
import { lockFolder } from './folder-lock.ts';
import { SQLITE_CHAIN } from './migrations/index.ts';
import { appliedMigrations, planUpgrade } from './plan-upgrade.ts';

/** Longer than a line of the log waits to be written. */
const LOG_BATCH_MS = 100;

export interface MigrateOptions {
  readonly logger?: Logger;
  readonly chain?: MigrationChain<SchemaMigration>;
  readonly policy?: UpgradePolicy | undefined;
  /** Whether this process has locked the folder. Otherwise it is locked for an upgrade, so that no gateway runs meanwhile. */
  readonly ownsFolder?: boolean;
}

/**
 * Migrates the schema in one transaction that takes the write lock before the first read: of several processes that start at once, one
 * migrates and the others find it done. Resolves to what was to be done. Throws a `StoreOpenError`.
 */
export async function migrate(database: Database, path: string, options: MigrateOptions = {}): Promise<UpgradePlan> {
  const { chain = SQLITE_CHAIN, policy = AUTOMATIC_UPGRADE, logger, ownsFolder = false } = options;
  const plan = await retryWhileBusy(() => planUpgrade(database, path, chain));
  if (plan.state === 'current') return plan;
  if (plan.state === 'absent') {
    await change(database, path, chain);
    return plan;
  }
  if (policy.mode === 'refuse') throw refusedUpgradeError(plan);
  const unlock = ownsFolder ? () => {} : await lockFolder(path, (user) => upgradeInUseError(plan, user));
  try {
    await policy.beforeUpgrade?.(plan);
    const fields = { bytes: sizeOf(database), ...upgradeFields(plan) };
    logger?.warn(fields, 'the database file is being upgraded; an interrupted upgrade changes nothing');
    // The log is written in batches, and the upgrade blocks the thread.
    if (logger !== undefined) await Bun.sleep(LOG_BATCH_MS);
    const beganAtMs = performance.now();
    await change(database, path, chain);
    logger?.info({ durationMs: Math.round(performance.now() - beganAtMs) }, 'the database file has been upgraded');
    return plan;
  } finally {
    unlock();
  }
}

async function change(database: Database, path: string, chain: MigrationChain<SchemaMigration>): Promise<void> {
  await retryWhileBusy(() => database.run('BEGIN IMMEDIATE'));
  try {
    database.run(CREATE_MIGRATION_TABLE);
    const { imports, pending } = remainingMigrations(path, appliedMigrations(database), chain);
    if (imports !== null) {
      await runAll(database, imports);
      for (const statement of FORGET_EARLIER_HISTORY) database.run(statement);
      record(database, baselineOf(chain));
    }
    await runAll(database, pending);
    database.run('COMMIT');
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

function sizeOf(database: Database): number {
  const sql = 'SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()';
  return database.query<{ bytes: number }, []>(sql).get()?.bytes ?? 0;
}
