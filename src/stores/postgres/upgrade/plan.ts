import type { Pool } from 'pg';
import { MIGRATION_TABLE, remainingMigrations } from '../../shared/migration-chain.ts';
import type { PlannedChange, UpgradePlan } from '../../shared/upgrade-plan.ts';
import { query } from '../connection.ts';
import { stepsLeft } from './deferred-steps.ts';
import { areFunctionsOlder } from './functions.ts';
import type { PostgresChain, PostgresMigration } from './migration.ts';

/** The tables that tell how far a database is. They have rows from the first start on. */
const OWN_TABLES = [MIGRATION_TABLE, 'deferred_steps', 'functions_version'] as const;

/**
 * Plans the upgrade of a database without changing it. Takes no lock, since nearly every start finds the database up to date. Throws a
 * `StoreOpenError` if this version cannot upgrade it.
 *
 * @param lock the advisory lock of a process that upgrades
 */
export async function planUpgrade(pool: Pool, name: string, chain: PostgresChain, lock: bigint): Promise<UpgradePlan> {
  const common = { database: name, kind: 'postgresql' } as const;
  const left = await workLeft(pool, name, chain);
  const { imports, pending, steps, isFunctionsDue } = left;
  if (left.isNew) {
    const changes = pending.map(([migration]): PlannedChange => ({ name: migration, how: 'at_once', rows: 0 }));
    return { ...common, state: 'absent', changes, usedBy: await upgraderOf(pool, lock) };
  }
  if (isNothing(left)) return { ...common, state: 'current', changes: [], usedBy: null };
  const changes: PlannedChange[] = [];
  if (isFunctionsDue) changes.push({ name: 'functions', how: 'at_once', rows: 0 });
  for (const [migration, definition] of [...(imports ?? []), ...pending]) {
    const how = definition.online === undefined ? 'at_once' : 'online';
    changes.push({ name: migration, how, rows: await rowsToVisit(pool, definition) });
  }
  for (const { migration, step, rowsLeft } of steps)
    changes.push({ name: `${migration} (${step})`, how: 'online', rows: rowsLeft });
  return { ...common, state: 'due', changes, usedBy: await upgraderOf(pool, lock) };
}

/** Resolves to whether there is nothing to upgrade. Reads a few rows only. Throws like `planUpgrade`. */
export async function isCurrent(pool: Pool, name: string, chain: PostgresChain): Promise<boolean> {
  return isNothing(await workLeft(pool, name, chain));
}

type WorkLeft = Awaited<ReturnType<typeof workLeft>>;

async function workLeft(pool: Pool, name: string, chain: PostgresChain) {
  const { rows: tables } = await query<{ name: string }>(
    pool,
    'SELECT name FROM unnest($1::text[]) AS name WHERE to_regclass(name) IS NOT NULL',
    [OWN_TABLES],
  );
  const has = (table: (typeof OWN_TABLES)[number]) => tables.some((row) => row.name === table);
  const applied = has(MIGRATION_TABLE) ? await appliedMigrations(pool) : [];
  const { imports, pending } = remainingMigrations(name, applied, chain);
  const isNew = applied.length === 0;
  const steps =
    !isNew && has('deferred_steps')
      ? await stepsLeft(pool, imports === null ? chain.migrations : chain.unreleased)
      : [];
  const isFunctionsDue = isNew || !has('functions_version') || (await areFunctionsOlder(pool, chain.functions));
  return { isNew, imports, pending, steps, isFunctionsDue };
}

function isNothing({ isNew, imports, pending, steps, isFunctionsDue }: WorkLeft): boolean {
  return !isNew && imports === null && pending.length === 0 && steps.length === 0 && !isFunctionsDue;
}

export async function appliedMigrations(pool: Pool): Promise<readonly string[]> {
  const { rows } = await query<{ name: string }>(pool, `SELECT name FROM ${MIGRATION_TABLE} ORDER BY name`);
  return rows.map((row) => row.name);
}

/** Resolves to the process that holds the advisory lock, as its connection is named; `null` if none does. */
export async function upgraderOf(pool: Pool, lock: bigint): Promise<string | null> {
  const { rows } = await query<{ application_name: string }>(
    pool,
    `SELECT application_name FROM pg_locks JOIN pg_stat_activity USING (pid)
      WHERE locktype = 'advisory' AND granted AND pid <> pg_backend_pid()
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND (classid::bigint << 32 | objid::bigint) = $1 AND objsubid = 1`,
    [lock],
  );
  return rows[0] === undefined ? null : rows[0].application_name || 'another process';
}

/** Resolves to the estimated number of rows that the steps of a migration read. */
async function rowsToVisit(pool: Pool, { online }: PostgresMigration): Promise<number> {
  const tables = Object.values(online?.steps ?? {}).flatMap((step) => ('table' in step ? [step.table] : []));
  let sum = 0;
  for (const table of new Set(tables)) sum += await estimatedRows(pool, table);
  return sum;
}

/** Reads the planner's estimate; a table that was never analyzed is counted, as it is new and small. */
async function estimatedRows(pool: Pool, table: string): Promise<number> {
  const { rows } = await query<{ estimate: number | null; is_known: boolean | null }>(
    pool,
    `SELECT sum(reltuples)::float8 AS estimate, bool_and(reltuples >= 0) AS is_known
      FROM pg_partition_tree(to_regclass($1)) JOIN pg_class ON pg_class.oid = relid WHERE isleaf`,
    [table],
  );
  const [found] = rows;
  if (found?.estimate == null) return 0;
  if (found.is_known === true) return found.estimate;
  const counted = await query<{ count: bigint }>(pool, `SELECT count(*) FROM ${table}`);
  return Number(counted.rows[0]?.count ?? 0);
}
