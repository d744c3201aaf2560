import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Adds the parts that five migrations (0006, 0007, 0017, 0023 and 0024) gained after databases had been created with them; no change where
 * they exist. Since then a test pins the statements of every released migration (released.test.ts).
 */
export const editedMigrationsMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    if (await addColumn(db, 'models', 'status_stated', 'integer not null default 0')) {
      await sql`update models set status_stated = 1 where status is not null`.execute(db);
      await sql`update models set status = 'public' where status is null`.execute(db);
    }
    await addColumn(db, 'request_log', 'is_private', 'integer');
    await addColumn(db, 'request_log', 'losses', 'text');
    for (const table of ['usage_deltas', 'usage_rollups']) {
      await addColumn(db, table, 'latency_ms_max', 'integer not null default 0');
    }
    await addColumn(db, 'ledger_entries', 'counted_at_ms', 'integer');
    await addColumn(db, 'holds', 'budgets', 'text');
    await sql.raw(BUDGET_SPENDING).execute(db);
    for (const [index, on] of Object.entries(INDEXES)) await makeIndex(db, index, on);
  },
};

const BUDGET_SPENDING = `create table if not exists budget_spending (
  account_id text not null,
  key_id text not null,
  starts_at_ms integer not null,
  ends_at_ms integer not null,
  spent_nano integer not null,
  leased_nano integer not null default 0 check (leased_nano >= 0),
  primary key (account_id, key_id, starts_at_ms, ends_at_ms)
) strict, without rowid`;

const INDEXES = {
  tasks_open_by_account: "tasks (account_id, created_at_ms, id) where stage not in ('completed', 'failed')",
  ledger_entries_by_account: 'ledger_entries (account_id, at_ms)',
  ledger_entries_but_charges: "ledger_entries (account_id, at_ms) where kind <> 'charge'",
};

/** Returns whether it was missing. */
async function addColumn(db: Kysely<unknown>, table: string, column: string, type: string): Promise<boolean> {
  const { rows } = await sql`select 1 from pragma_table_info(${table}) where name = ${column}`.execute(db);
  if (rows.length > 0) return false;
  await sql`alter table ${sql.id(table)} add column ${sql.id(column)} ${sql.raw(type)}`.execute(db);
  return true;
}

async function makeIndex(db: Kysely<unknown>, index: string, on: string): Promise<void> {
  const made = `CREATE INDEX ${index} on ${on}`;
  const { rows } = await sql`select 1 from sqlite_schema where name = ${index} and sql = ${made}`.execute(db);
  if (rows.length > 0) return;
  await sql`drop index if exists ${sql.id(index)}`.execute(db);
  await sql.raw(`create index ${index} on ${on}`).execute(db);
}
