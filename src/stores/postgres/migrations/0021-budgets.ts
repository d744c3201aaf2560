import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { BUDGET_FUNCTIONS } from './0021-budget-functions.ts';
import { CHARGE_FUNCTIONS } from './0021-charge-functions.ts';
import { HOLD_FUNCTIONS } from './0021-hold-functions.ts';

/**
 * The budgets of accounts and keys per day, week or month, and the spending in periods that money was reserved from. A charge counts in the
 * periods of `counted_at_ms`, when its money was reserved, or of `at_ms` if that is NULL.
 */
export const budgetsMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const table of ['accounts', 'credentials']) {
      for (const column of ['budget_nano_usd', 'budget_per', 'budget_time_zone']) {
        await sql`alter table ${sql.id(table)} add column ${sql.id(column)} text`.execute(db);
      }
    }
    for (const statement of [...TABLES, ...BUDGET_FUNCTIONS, ...CHARGE_FUNCTIONS, ...HOLD_FUNCTIONS]) {
      await sql.raw(statement).execute(db);
    }
  },
};

/**
 * Reading or changing a row of an account requires its row of `balances`, as with the other purses. The leases of a node are deleted with
 * it, and a trigger releases them, since nodes of the previous version do not know them.
 */
export const TABLES = [
  'alter table ledger_entries add column counted_at_ms bigint',
  'alter table holds add column budgets text',
  `create table budget_spending (
    account_id text collate "C" not null,
    key_id text collate "C" not null,
    starts_at_ms bigint not null,
    ends_at_ms bigint not null,
    spent_nano bigint not null,
    leased_nano bigint not null default 0 check (leased_nano >= 0),
    primary key (account_id, key_id, starts_at_ms, ends_at_ms)
  ) with (fillfactor = 50)`,
  `create table budget_leases (
    node_id text collate "C" not null references nodes on delete cascade,
    account_id text collate "C" not null,
    key_id text collate "C" not null,
    starts_at_ms bigint not null,
    ends_at_ms bigint not null,
    amount_nano bigint not null check (amount_nano >= 0),
    operation bigint not null,
    granted_nano bigint not null,
    changed_at timestamptz not null,
    primary key (node_id, account_id, key_id, starts_at_ms, ends_at_ms)
  ) with (fillfactor = 50)`,
  `create function budget_end_lease() returns trigger language plpgsql as $$
    begin
      update budget_spending set leased_nano = leased_nano - old.amount_nano
        where (account_id, key_id, starts_at_ms, ends_at_ms)
          = (old.account_id, old.key_id, old.starts_at_ms, old.ends_at_ms);
      return null;
    end
  $$`,
  `create trigger budget_leases_ended after delete on budget_leases
    for each row when (old.amount_nano > 0) execute function budget_end_lease()`,
];
