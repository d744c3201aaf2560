import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * The owners of changed parts of the directory, so that a gateway rereads only those instead of the channels of all accounts. The empty
 * string stands for shared rows: models, price lists and PLATFORM channels.
 */
export const servingChangesMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const statements = [
      'create table serving_changes (owner text collate "C" primary key, version bigint not null)',
      'create index serving_changes_by_version on serving_changes (version)',
      'create index channels_by_owner on channels (owner)',
      functionOf('shared_serving_changed', "select ''"),
      functionOf('channels_inserted', ownersIn('after_rows')),
      functionOf('channels_updated', `${ownersIn('before_rows')} union ${ownersIn('after_rows')}`),
      functionOf('channels_deleted', ownersIn('before_rows')),
      // A TRUNCATE trigger does not see the owners of the rows.
      functionOf('channels_emptied', "select '' union select id from accounts"),
      ...['models', 'synced_models', 'channels'].map((table) => `drop trigger ${table}_version on ${table}`),
      'drop function count_directory_version()',
      ...['models', 'synced_models'].map(
        (table) => `create trigger ${table}_version after insert or update or delete or truncate on ${table}
          for each statement execute function shared_serving_changed()`,
      ),
      ...CHANNEL_TRIGGERS,
    ];
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
};

function ownersIn(rows: string): string {
  return `select distinct coalesce(owner, '') from ${rows}`;
}

function functionOf(name: string, owners: string): string {
  return `create function ${name}() returns trigger language plpgsql as $$
    begin
      update directory_version set version = version + 1;
      insert into serving_changes (owner, version)
        select found.owner, directory_version.version from directory_version, (${owners}) as found (owner)
        on conflict (owner) do update set version = excluded.version;
      return null;
    end
  $$`;
}

const CHANNEL_TRIGGERS = [
  `create trigger channels_insert_version after insert on channels
    referencing new table as after_rows for each statement execute function channels_inserted()`,
  `create trigger channels_update_version after update on channels
    referencing old table as before_rows new table as after_rows for each statement execute function channels_updated()`,
  `create trigger channels_delete_version after delete on channels
    referencing old table as before_rows for each statement execute function channels_deleted()`,
  `create trigger channels_truncate_version after truncate on channels
    for each statement execute function channels_emptied()`,
];
