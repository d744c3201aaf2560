import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The savings of the cache in the usage sums; zero for earlier times. Adding the column rewrites no rows. */
export const cacheSavingsMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const table of ['usage_deltas', 'usage_rollups']) {
      await sql`alter table ${sql.id(table)} add column saved_nano bigint not null default 0`.execute(db);
    }
  },
};
