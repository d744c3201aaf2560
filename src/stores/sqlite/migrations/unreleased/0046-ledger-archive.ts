import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { LEDGER_ARCHIVE_TABLES } from '../../../sql/ledger-archive/tables.ts';

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
