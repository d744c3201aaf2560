import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** What was last counted of the request log, and who is counting: one row at most; and what of the log is not to be counted. */
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
