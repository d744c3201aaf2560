import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** One row: a known text sealed with the file's master secret. */
export const secretCheckMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`
      create table secret_check (sealed text not null, one integer not null default 1 unique check (one = 1)) strict
    `.execute(db);
  },
};
