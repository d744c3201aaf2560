import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** A request's billed quantities other than tokens: images, seconds, characters, searches. */
export const billedQuantitiesMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table request_log add column other_quantities text`.execute(db);
  },
};
