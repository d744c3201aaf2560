import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Archived accounts, and an index to list the few tokens among many keys. */
export const archivedAccountsMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table accounts add column archived_at_ms double precision`.execute(db);
    await sql`
      create index credentials_management on credentials (account_id, id) where kind = 'management'
    `.execute(db);
  },
};
