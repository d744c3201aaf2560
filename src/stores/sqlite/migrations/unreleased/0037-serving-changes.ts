import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * The owners of changed parts of the directory, so that a gateway rereads only those instead of the channels of all accounts. The empty
 * string stands for shared rows: models, price lists and PLATFORM channels.
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

/** Replaces the triggers that counted without an owner. */
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
