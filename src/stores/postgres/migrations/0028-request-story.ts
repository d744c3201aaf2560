import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** At which prices a request was charged, and when it came how far. */
export const requestStoryMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table request_log add column story text`.execute(db);
  },
};
