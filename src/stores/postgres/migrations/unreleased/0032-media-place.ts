import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The media location of each node, so that nodes without a common one are detected. */
export const mediaPlaceMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table gateway_nodes add column media_place text`.execute(db);
  },
};
