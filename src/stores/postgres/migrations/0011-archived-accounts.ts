import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Accounts that are out of use; and an index for the list of the few credentials that are tokens, among those that are keys. */
export const archivedAccountsMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table accounts add column archived_at_ms double precision`.execute(db);
    await sql`
      create index credentials_management on credentials (account_id, id) where kind = 'management'
    `.execute(db);
  },
};
