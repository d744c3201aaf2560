import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** When a second factor was last used in a session; unknown for existing sessions. */
export const secondFactorTimeMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table sign_in_sessions add column second_factor_at_ms integer`.execute(db);
  },
};
