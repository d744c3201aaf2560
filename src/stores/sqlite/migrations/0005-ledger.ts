import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Creates the ledger, the limits it needs, and the last use of keys. Amounts are integers in nano-USD (1e-9). */
export const ledgerMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table accounts add column tokens_per_minute integer`.execute(db);
    await sql`alter table accounts add column max_concurrent integer`.execute(db);
    await sql`alter table credentials add column requests_per_minute integer`.execute(db);
    await sql`alter table credentials add column expires_at_ms integer`.execute(db);
    await sql`alter table request_log add column cost_nano integer`.execute(db);
    await createEntries(db);
    await createPurses(db);
    await createKeyUse(db);
  },
};

/** The triggers prevent mistakes and manual edits. They are no protection against deliberate falsification, since they can be dropped. */
async function createEntries(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table ledger_entries (
      sequence integer primary key,
      idempotency_key text not null unique,
      account_id text not null,
      key_id text,
      kind text not null check (kind in ('grant', 'charge', 'refund', 'adjustment')),
      amount_nano integer not null,
      request_id text,
      at_ms integer not null,
      note text
    ) strict
  `.execute(db);
  await sql`create index ledger_entries_by_account on ledger_entries (account_id)`.execute(db);
  for (const event of ['update', 'delete']) {
    await sql`
      create trigger ${sql.id(`ledger_entries_no_${event}`)} before ${sql.raw(event)} on ledger_entries
      begin select raise(abort, 'the ledger is append-only'); end
    `.execute(db);
  }
}

/** No foreign keys to accounts: an entry must never fail for a missing account, and accounts are never deleted. */
async function createPurses(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table balances (
      account_id text not null primary key,
      balance_nano integer not null,
      leased_nano integer not null check (leased_nano >= 0)
    ) strict, without rowid
  `.execute(db);
  await sql`
    create table key_spending (
      account_id text not null,
      key_id text not null,
      spent_nano integer not null,
      leased_nano integer not null check (leased_nano >= 0),
      primary key (account_id, key_id)
    ) strict, without rowid
  `.execute(db);
}

/** Has no directory triggers, which would cause the directory to be reread every second. */
async function createKeyUse(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table key_use (
      account_id text not null,
      key_id text not null,
      last_used_at_ms integer not null,
      primary key (account_id, key_id)
    ) strict, without rowid
  `.execute(db);
}
