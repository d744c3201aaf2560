import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds the columns for routing and the table of channel health. */
export const routingMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table accounts add column strategy text`.execute(db);
    await sql`alter table models add column strategy text`.execute(db);
    await sql`alter table models add column tags text not null default '[]'`.execute(db);
    await sql`alter table channels add column costs text not null default '{}'`.execute(db);
    await sql`alter table channels add column breaker text`.execute(db);
    await sql`alter table channels add column block_at_ms integer`.execute(db);
    await sql`alter table channels add column block_reason text`.execute(db);
    await sql`alter table channels add column reset_at_ms integer`.execute(db);
    await sql`alter table request_log add column failed_attempts text`.execute(db);
    await createChannelHealth(db);
  },
};

/**
 * Has no directory triggers: it is written every second, and the directory would be reread as often. Times are REAL, since they have
 * fractions of milliseconds, which INTEGER rejects.
 */
async function createChannelHealth(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table channel_health (
      channel_id text not null references channels (id) on delete cascade,
      upstream_model text not null,
      state text not null,
      available_at_ms real,
      openings integer not null,
      requests integer not null,
      failures integer not null,
      last_failure text,
      last_failure_at_ms real,
      first_byte_ms real,
      updated_at_ms real not null,
      primary key (channel_id, upstream_model)
    ) strict, without rowid
  `.execute(db);
}
