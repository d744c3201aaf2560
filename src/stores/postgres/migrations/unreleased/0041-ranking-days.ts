import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The time before which daily costs of accounts, which rank them, may be missing, whatever the current settings. */
export const rankingDaysMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table usage_thinning add column ranks_before_ms bigint not null default 0`.execute(db);
  },
};
