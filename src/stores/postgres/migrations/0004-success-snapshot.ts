import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * The latest count of the request log and the claim on the next one, in at most one row. The log's new column marks lines that are not
 * counted.
 */
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
    await sql`alter table request_log add column is_private smallint`.execute(db);
  },
};
