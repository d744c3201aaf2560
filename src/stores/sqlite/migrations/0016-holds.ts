import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Reservations that outlive a process. Open holds are included in `leased_nano` of balances and keys, so that they reduce the free amount
 * everywhere.
 */
export const holdsMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`
      create table holds (
        hold_id text not null primary key,
        account_id text not null,
        key_id text,
        from_balance_nano integer check (from_balance_nano >= 0),
        from_limit_nano integer check (from_limit_nano >= 0),
        key_limit_nano integer,
        terms text not null,
        at_ms integer not null,
        expires_at_ms integer not null,
        state text not null default 'open' check (state in ('open', 'settled', 'released')),
        charged_nano integer not null default 0 check (charged_nano >= 0),
        closed_at_ms integer
      ) strict, without rowid
    `.execute(db);
    await sql`create index holds_open_by_account on holds (account_id, key_id) where state = 'open'`.execute(db);
    await sql`create index holds_open_by_expiry on holds (expires_at_ms) where state = 'open'`.execute(db);
  },
};
