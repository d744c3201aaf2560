import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The latest count of the request log and the claim on the next one, in at most one row; and the column for lines that are not counted. */
export const successSnapshotMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`
      create table success_snapshot (
        id integer primary key check (id = 1),
        at_ms real,
        window_ms real,
        counts text,
        claimed_at_ms real
      ) strict
    `.execute(db);
    await sql`alter table request_log add column is_private integer`.execute(db);
  },
};
