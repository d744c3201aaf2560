import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Implausible charges that await an operator's decision. No foreign keys: a row must never fail for a missing one. */
export const heldChargesMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`
      create table held_charges (
        request_id text collate "C" not null primary key,
        account_id text collate "C" not null,
        key_id text collate "C",
        model_id text not null,
        channel_id text,
        amount_nano bigint not null,
        plausible_nano bigint not null,
        prompt_tokens bigint not null,
        completion_tokens bigint not null,
        at_ms bigint not null,
        state text not null check (state in ('open', 'settled', 'dismissed'))
      )
    `.execute(db);
    await sql`create index held_charges_by_time on held_charges (at_ms)`.execute(db);
  },
};
