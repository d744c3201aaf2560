import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Cache settings of accounts and models, as JSON. */
export const cacheOverridesMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table accounts add column cache text`.execute(db);
    await sql`alter table models add column cache text`.execute(db);
  },
};
