import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Object quotas of accounts that differ from the default. */
export const accountQuotasMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table accounts add column quotas text`.execute(db);
  },
};
