import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** What accounts and keys may spend in each day, week or month. */
export const budgetsMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const table of ['accounts', 'credentials']) {
      for (const column of ['budget_nano_usd', 'budget_per', 'budget_time_zone']) {
        await sql`alter table ${sql.id(table)} add column ${sql.id(column)} text`.execute(db);
      }
    }
  },
};
