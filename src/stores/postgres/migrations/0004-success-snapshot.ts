import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** What was last counted of the request log, and since when a node is counting. One row at most. */
export const successSnapshotMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`
      create table success_snapshot (
        id smallint primary key check (id = 1),
        at_ms double precision,
        window_ms double precision,
        counts text,
        claimed_at_ms double precision
      )
    `.execute(db);
  },
};
