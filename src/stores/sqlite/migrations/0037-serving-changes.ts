import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Whose part of the directory has changed: a gateway reads that part again, not the channels of all accounts. The empty text stands for
 * what all accounts share: models, lists and PLATFORM channels.
 */
export const servingChangesMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`
      create table serving_changes (owner text primary key not null, version integer not null) strict, without rowid
    `.execute(db);
    await sql`create index serving_changes_by_version on serving_changes (version)`.execute(db);
    await sql`create index channels_by_owner on channels (owner)`.execute(db);
    for (const table of ['models', 'synced_models']) await createTriggers(db, table, "''");
    await createTriggers(db, 'channels', "coalesce(#row.owner, '')");
  },
};

/** In place of those that counted without saying whose the rows are. */
async function createTriggers(db: Kysely<unknown>, table: string, owner: string): Promise<void> {
  const versions = { insert: ['new'], update: ['old', 'new'], delete: ['old'] };
  for (const [event, rows] of Object.entries(versions)) {
    const name = sql.id(`${table}_${event}_version`);
    const notes = rows.map(
      (row) => `
        insert into serving_changes (owner, version)
          select ${owner.replace('#row', row)}, version from directory_version where true
          on conflict (owner) do update set version = excluded.version;`,
    );
    await sql`drop trigger ${name}`.execute(db);
    await sql`
      create trigger ${name} after ${sql.raw(event)} on ${sql.table(table)} begin
        update directory_version set version = version + 1;
        ${sql.raw(notes.join(''))}
      end
    `.execute(db);
  }
}
