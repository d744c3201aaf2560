import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** How many objects an account may have, where that is not what all accounts may. */
export const accountQuotasMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table accounts add column quotas text`.execute(db);
  },
};
