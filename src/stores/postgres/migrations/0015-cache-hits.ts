import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** How a response was found in the cache, and in which entry. */
export const cacheHitsMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table request_log add column cache_match text`.execute(db);
    await sql`alter table request_log add column cache_entry_id text`.execute(db);
  },
};
