import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

const LEDGER_ARCHIVE_TABLES: readonly string[] = [
  `create table ledger_checkpoints (
    number integer primary key,
    before_ms integer not null,
    entries integer not null,
    amount_nano integer not null,
    file_name text not null,
    sha256 text not null,
    previous_sha256 text,
    moved_to integer not null,
    is_complete integer not null
  ) strict`,
  `create table ledger_archived (
    account_id text not null,
    key_id text not null,
    checkpoint integer not null,
    amount_nano integer not null,
    entries integer not null,
    first_at_ms integer not null,
    primary key (account_id, key_id, checkpoint)
  ) strict, without rowid`,
  'create index ledger_archived_by_checkpoint on ledger_archived (checkpoint)',
  'create table ledger_archiving (one integer primary key check (one = 1), holder text not null, until_ms integer not null) strict',
];

/** Archives of old charges. While a transaction has a time in `ledger_door`, charges before it may be deleted, and nothing else. */
export const ledgerArchiveMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const table of LEDGER_ARCHIVE_TABLES) await sql.raw(table).execute(db);
    await sql`create table ledger_door (one integer primary key check (one = 1), before_ms integer not null) strict`.execute(
      db,
    );
    await sql`insert into ledger_door (one, before_ms) values (1, 0)`.execute(db);
    await sql`drop trigger ledger_entries_no_delete`.execute(db);
    await sql`
      create trigger ledger_entries_no_delete before delete on ledger_entries
      when old.kind <> 'charge' or old.at_ms >= (select before_ms from ledger_door)
      begin select raise(abort, 'the ledger is append-only'); end
    `.execute(db);
  },
};
