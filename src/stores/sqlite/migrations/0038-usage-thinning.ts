import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Up to when sums of minutes have been added up to quarters of an hour. */
export const usageThinningMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`
      create table usage_thinning (one integer primary key check (one = 1), thinned_until_ms integer not null) strict
    `.execute(db);
  },
};
