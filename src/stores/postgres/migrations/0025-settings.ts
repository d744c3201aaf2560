import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Settings made through the API: one row per section, in configuration-file terms. */
export const settingsMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`create table settings (section text not null primary key, words text not null)`.execute(db);
  },
};
