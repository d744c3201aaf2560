import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Before which times sums of minutes and of hours may be missing, whatever is set now. */
export const thinnedSumsMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const column of ['minutes_before_ms', 'hours_before_ms']) {
      await sql`alter table usage_thinning add column ${sql.id(column)} bigint not null default 0`.execute(db);
    }
  },
};
