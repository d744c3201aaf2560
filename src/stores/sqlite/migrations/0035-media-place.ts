import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Where each node keeps its media, so that nodes without a common place are noticed. */
export const mediaPlaceMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table gateway_nodes add column media_place text`.execute(db);
  },
};
