import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

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
    await sql`alter table ledger_entries add column counted_at_ms integer`.execute(db);
    await sql`alter table holds add column budgets text`.execute(db);
    await sql`
      create table budget_spending (
        account_id text not null,
        key_id text not null,
        starts_at_ms integer not null,
        ends_at_ms integer not null,
        spent_nano integer not null,
        leased_nano integer not null default 0 check (leased_nano >= 0),
        primary key (account_id, key_id, starts_at_ms, ends_at_ms)
      ) strict, without rowid
    `.execute(db);
  },
};
