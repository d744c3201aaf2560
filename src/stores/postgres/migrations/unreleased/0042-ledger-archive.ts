import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Archives of old charges. A transaction that sets `switchyard.ledger_before_ms` may delete charges before that time, and nothing else. The
 * trigger is not recreated, so that the ledger is not locked.
 */
export const ledgerArchiveMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};

const STATEMENTS = [
  `create table ledger_checkpoints (
    number bigint primary key,
    before_ms bigint not null,
    entries bigint not null,
    amount_nano bigint not null,
    file_name text not null,
    sha256 text not null,
    previous_sha256 text,
    moved_to bigint not null,
    is_complete smallint not null
  )`,
  `create table ledger_archived (
    account_id text collate "C" not null,
    key_id text collate "C" not null,
    checkpoint bigint not null,
    amount_nano bigint not null,
    entries bigint not null,
    first_at_ms bigint not null,
    primary key (account_id, key_id, checkpoint)
  )`,
  'create index ledger_archived_by_checkpoint on ledger_archived (checkpoint)',
  'create table ledger_archiving (one integer primary key check (one = 1), holder text not null, until_ms bigint not null)',
  `create or replace function ledger_refuse_change() returns trigger language plpgsql as $$
    declare
      pseudonym text := current_setting('switchyard.audit_pseudonym', true);
      before_ms bigint := coalesce(nullif(current_setting('switchyard.ledger_before_ms', true), ''), '0')::bigint;
    begin
      if tg_op = 'DELETE' then
        if old.kind = 'charge' and old.at_ms < before_ms then
          return old;
        end if;
      elsif tg_op = 'UPDATE' and coalesce(pseudonym like 'erased-________', false) then
        if old.note is not null and new.note = pseudonym and to_jsonb(new) - 'note' = to_jsonb(old) - 'note' then
          return new;
        end if;
      end if;
      raise exception 'entries of the ledger are never changed or deleted: append an adjustment';
    end
  $$`,
];
