import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** What the cache has saved, in the sums of usage; nothing is known of the time before. No row is written anew for it. */
export const cacheSavingsMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const table of ['usage_deltas', 'usage_rollups']) {
      await sql`alter table ${sql.id(table)} add column saved_nano bigint not null default 0`.execute(db);
    }
  },
};
