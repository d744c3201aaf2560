import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Implausible charges that await an operator's decision. No foreign keys: a row must never fail for a missing one. */
export const heldChargesMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`
      create table held_charges (
        request_id text not null primary key,
        account_id text not null,
        key_id text,
        model_id text not null,
        channel_id text,
        amount_nano integer not null,
        plausible_nano integer not null,
        prompt_tokens integer not null,
        completion_tokens integer not null,
        at_ms integer not null,
        state text not null check (state in ('open', 'settled', 'dismissed'))
      ) strict
    `.execute(db);
    await sql`create index held_charges_by_time on held_charges (at_ms)`.execute(db);
  },
};
