import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { PEOPLE_TABLES } from '../../sql/people/tables.ts';

/** People, what they belong to, their one-time links, and what the sign-in library keeps. */
export const peopleMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of PEOPLE_TABLES) await sql.raw(statement).execute(db);
  },
};
