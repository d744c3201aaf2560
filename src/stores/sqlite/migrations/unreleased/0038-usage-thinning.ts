import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The time up to which minute sums are merged into quarter-hours. */
export const usageThinningMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`
      create table usage_thinning (one integer primary key check (one = 1), thinned_until_ms integer not null) strict
    `.execute(db);
  },
};
