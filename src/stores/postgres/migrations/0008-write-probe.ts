import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** One row for all nodes that is rewritten periodically to check that the database is writable. */
export const writeProbeMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`
      create table write_probe (id smallint primary key check (id = 1), at_ms bigint not null) with (fillfactor = 10)
    `.execute(db);
  },
};
