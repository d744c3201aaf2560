import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * An id is unique within its account only: an account's own upstream may choose it, and must learn nothing about other accounts. The two
 * large columns come last, so that reading the others (walking a chain, finding expired rows) does not read their pages.
 */
export const responsesMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`
      create table responses (
        row_id integer primary key,
        account_id text not null,
        id text not null,
        created_at_ms integer not null,
        expires_at_ms integer not null,
        previous_id text,
        channel_id text,
        upstream_stored integer not null,
        sealed_input blob not null,
        sealed_response blob not null,
        unique (account_id, id)
      ) strict
    `.execute(db);
    await sql`create index responses_by_expiry on responses (expires_at_ms)`.execute(db);
  },
};
