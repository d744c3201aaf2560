import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { BUDGET_FUNCTIONS } from '../0021-budget-functions.ts';
import { TABLES as BUDGET_TABLES } from '../0021-budgets.ts';
import { CHARGE_FUNCTIONS } from '../0021-charge-functions.ts';
import { HOLD_FUNCTIONS } from '../0021-hold-functions.ts';

/**
 * Adds the parts that five migrations (0003, 0004, 0014, 0020 and 0021) gained after databases had been created with them; no change and no
 * lock where they exist. Since then a test pins the statements of every released migration (released.test.ts).
 */
export const editedMigrationsMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
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
    if (!(await hasColumn(db, 'ledger_entries', 'counted_at_ms'))) {
      for (const statement of [...BUDGET_TABLES, ...BUDGET_FUNCTIONS, ...CHARGE_FUNCTIONS, ...HOLD_FUNCTIONS]) {
        await sql.raw(statement).execute(db);
      }
    }
    await makeIndex(db, {
      name: 'tasks_open_by_account',
      keys: 3,
      on: "tasks (account_id, created_at_ms, id) where stage not in ('completed', 'failed')",
    });
    // The online form of 0020 builds them after this transaction.
    const { rows } = await sql`select from deferred_steps where migration = '0020-usage'`.execute(db);
    if (rows.length > 0) return;
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
