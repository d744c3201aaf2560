import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** An id belongs to one account. Another account may have received the same id, and neither learns of the other. */
export const objectOriginsMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`
      create table object_origins (
        account_id text not null,
        object_id text not null,
        channel_id text,
        response_id text,
        expires_at_ms double precision not null,
        primary key (account_id, object_id)
      )
    `.execute(db);
    await sql`create index object_origins_by_expiry on object_origins (expires_at_ms)`.execute(db);
    await sql`create index object_origins_by_account on object_origins (account_id, expires_at_ms)`.execute(db);
  },
};
