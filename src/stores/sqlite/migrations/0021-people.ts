import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { PEOPLE_TABLES } from '../../sql/people/tables.ts';

/** Users, memberships, one-time links, and the tables of the sign-in library. */
export const peopleMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of PEOPLE_TABLES) await sql.raw(statement).execute(db);
  },
};
