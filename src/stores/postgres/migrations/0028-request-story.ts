import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The prices of a request and the times of its phases. */
export const requestStoryMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table request_log add column story text`.execute(db);
  },
};
