import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Incomplete account erasures. A transaction that sets `switchyard.audit_pseudonym` may replace notes of the ledger by that pseudonym;
 * nothing else of an entry can change. The trigger is not recreated, so that the ledger is not locked.
 */
export const accountErasuresMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`
      create table account_erasures (
        account_id text collate "C" primary key,
        names text not null,
        pseudonym text not null,
        audited_until bigint not null,
        rewritten bigint not null
      )
    `.execute(db);
    await sql
      .raw(`
        create or replace function ledger_refuse_change() returns trigger language plpgsql as $$
          declare
            pseudonym text := current_setting('switchyard.audit_pseudonym', true);
          begin
            if tg_op = 'UPDATE' and coalesce(pseudonym like 'erased-________', false) then
              if old.note is not null and new.note = pseudonym and to_jsonb(new) - 'note' = to_jsonb(old) - 'note' then
                return new;
              end if;
            end if;
            raise exception 'entries of the ledger are never changed or deleted: append an adjustment';
          end
        $$
      `)
      .execute(db);
  },
};
