import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** What operators have set over the API: one row a section, in the words of a configuration file. */
export const settingsMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`create table settings (section text not null primary key, words text not null) strict, without rowid`.execute(
      db,
    );
  },
};
