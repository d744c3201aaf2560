import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The gateway processes of this store, each with the directory versions it has loaded. */
export const gatewayNodesMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`
      create table gateway_nodes (
        id text primary key not null,
        host_name text not null,
        process_id integer not null,
        version text not null,
        access_version integer not null,
        serving_version integer not null,
        started_at_ms integer not null,
        last_seen_at_ms integer not null
      ) strict, without rowid
    `.execute(db);
  },
};
