import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** One row that is rewritten periodically to check that the file is writable. */
export const writeProbeMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`create table write_probe (id integer primary key check (id = 1), at_ms integer not null) strict`.execute(
      db,
    );
  },
};
