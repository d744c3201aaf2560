import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { SECOND_FACTOR_TIME } from '../../../sql/people/tables.ts';

/** When a second factor was last used in a session; unknown for existing sessions. */
export const secondFactorTimeMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql.raw(SECOND_FACTOR_TIME).execute(db);
  },
};
