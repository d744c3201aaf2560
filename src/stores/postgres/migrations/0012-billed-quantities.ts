import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** What a request came to besides tokens: images, seconds, characters, searches. */
export const billedQuantitiesMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table request_log add column other_quantities text`.execute(db);
  },
};
