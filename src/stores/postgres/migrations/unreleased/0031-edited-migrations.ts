import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { tooOldError } from '../../../shared/migration-chain.ts';

/**
 * Adds the parts that four migrations (0003, 0004, 0014 and 0020) gained after databases had been created with them; no change and no lock
 * where they exist. Databases without those that 0021 gained are refused.
 */
export const editedMigrationsMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await refuseWithoutBudgets(db);
    if (await addColumn(db, 'models', 'status_stated', 'smallint not null default 0')) {
      await sql`update models set status_stated = 1 where status is not null`.execute(db);
      await sql`update models set status = 'public' where status is null`.execute(db);
      await sql`alter table models alter column status set not null`.execute(db);
    }
    await addColumn(db, 'request_log', 'is_private', 'smallint');
    await addColumn(db, 'request_log', 'losses', 'text');
    for (const table of ['usage_deltas', 'usage_rollups']) {
      await addColumn(db, table, 'latency_ms_max', 'bigint not null default 0');
    }
    await makeIndex(db, {
      name: 'tasks_open_by_account',
      keys: 3,
      on: "tasks (account_id, created_at_ms, id) where stage not in ('completed', 'failed')",
    });
    for (const index of LEDGER_INDEXES) await makeIndex(db, index);
  },
};

interface Index {
  readonly name: string;
  /** The number of its columns. */
  readonly keys: number;
  readonly on: string;
}

const LEDGER_INDEXES: readonly Index[] = [
  { name: 'ledger_entries_by_account', keys: 3, on: 'ledger_entries (account_id, at_ms, sequence)' },
  {
    name: 'ledger_entries_but_charges',
    keys: 3,
    on: "ledger_entries (account_id, at_ms, sequence) where kind <> 'charge'",
  },
];

async function refuseWithoutBudgets(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select current_database() as name where not exists (
      select from pg_attribute where attrelid = to_regclass('ledger_entries') and attname = 'counted_at_ms'
    )
  `.execute(db);
  if (rows[0] !== undefined) throw tooOldError(rows[0].name);
}

async function hasColumn(db: Kysely<unknown>, table: string, column: string): Promise<boolean> {
  const { rows } = await sql`
    select from pg_attribute where attrelid = to_regclass(${table}) and attname = ${column} and not attisdropped
  `.execute(db);
  return rows.length > 0;
}

/** Returns whether it was missing. */
async function addColumn(db: Kysely<unknown>, table: string, column: string, type: string): Promise<boolean> {
  if (await hasColumn(db, table, column)) return false;
  await sql`alter table ${sql.id(table)} add column ${sql.id(column)} ${sql.raw(type)}`.execute(db);
  return true;
}

async function makeIndex(db: Kysely<unknown>, { name, keys, on }: Index): Promise<void> {
  const { rows } = await sql`
    select from pg_index where indexrelid = to_regclass(${name}) and indnkeyatts = ${keys}
  `.execute(db);
  if (rows.length > 0) return;
  await sql`drop index if exists ${sql.id(name)}`.execute(db);
  await sql.raw(`create index ${name} on ${on}`).execute(db);
}
