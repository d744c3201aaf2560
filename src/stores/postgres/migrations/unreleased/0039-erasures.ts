import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Returns the condition that the column is unchanged or was replaced by text with the pseudonym. */
function isHidden(column: string): string {
  const isSame = `new."${column}" is not distinct from old."${column}"`;
  return `(${isSame} or (old."${column}" is not null and strpos(new."${column}", pseudonym) > 0))`;
}

const KEPT = ['sequence', 'at_ms', 'actor_kind', 'request_id', 'action', 'account_id'];
const HIDDEN = ['actor_id', 'actor_name', 'address', 'object_id', 'before', 'after'];

/**
 * Incomplete erasures of people. A transaction that sets `switchyard.audit_pseudonym` may change audit log entries to replace a person by
 * that pseudonym, and in no other way.
 */
export const erasuresMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`
      create table erasures (
        user_id text collate "C" primary key,
        email text not null,
        names text not null,
        pseudonym text not null,
        audited_until bigint not null,
        rewritten bigint not null
      )
    `.execute(db);
    const kept = KEPT.map((column) => `new."${column}" is not distinct from old."${column}"`);
    await sql
      .raw(`
        create function audit_refuse_rewriting() returns trigger language plpgsql as $$
          declare
            pseudonym text := current_setting('switchyard.audit_pseudonym', true);
          begin
            if coalesce(pseudonym like 'erased-________' and ${[...kept, ...HIDDEN.map(isHidden)].join(' and ')}, false) then
              return new;
            end if;
            raise exception 'entries of the audit log are never changed or deleted';
          end
        $$
      `)
      .execute(db);
    await sql`drop trigger audit_log_unchanged on audit_log`.execute(db);
    await sql`
      create trigger audit_log_unchanged before update on audit_log
        for each row execute function audit_refuse_rewriting()
    `.execute(db);
  },
};
