import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * The gateway processes of this store, each with the directory versions it has loaded; and a notification of every change of these
 * versions, sent at commit.
 */
export const gatewayNodesMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};

const STATEMENTS = [
  `create table gateway_nodes (
    id text collate "C" primary key,
    host_name text not null,
    process_id double precision not null,
    version text not null,
    access_version double precision not null,
    serving_version double precision not null,
    started_at_ms double precision not null,
    last_seen_at_ms double precision not null
  )`,
  `create function directory_version_notify() returns trigger language plpgsql as $$
    begin
      perform pg_notify('switchyard_directory', '');
      return null;
    end
  $$`,
  `create trigger directory_version_notify after update on directory_version
    for each statement execute function directory_version_notify()`,
];
