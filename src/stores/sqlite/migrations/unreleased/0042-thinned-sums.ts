import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The times before which minute and hour sums may be missing, whatever the current settings. */
export const thinnedSumsMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const column of ['minutes_before_ms', 'hours_before_ms']) {
      await sql`alter table usage_thinning add column ${sql.id(column)} integer not null default 0`.execute(db);
    }
  },
};
