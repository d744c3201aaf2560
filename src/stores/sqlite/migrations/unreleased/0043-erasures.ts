import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

const ERASURES_TABLE = `create table erasures (
  user_id text primary key,
  email text not null,
  names text not null,
  pseudonym text not null,
  audited_until integer not null,
  rewritten integer not null
) strict`;

/** Returns the condition that the column is unchanged or was replaced by text with the pseudonym. */
function isHidden(column: string): string {
  const isSame = `new."${column}" is old."${column}"`;
  return `(${isSame} or (old."${column}" is not null and instr(new."${column}", door.pseudonym) > 0))`;
}

const KEPT = ['sequence', 'at_ms', 'actor_kind', 'request_id', 'action', 'account_id'];
const HIDDEN = ['actor_id', 'actor_name', 'address', 'object_id', 'before', 'after'];

/**
 * Incomplete erasures of people. While a transaction has a pseudonym in `audit_erasure`, audit log entries may be changed to replace a
 * person by that pseudonym, and in no other way.
 */
export const erasuresMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql.raw(ERASURES_TABLE).execute(db);
    await sql`create table audit_erasure (one integer primary key check (one = 1), pseudonym text not null) strict`.execute(
      db,
    );
    await sql`insert into audit_erasure (one, pseudonym) values (1, '')`.execute(db);
    await sql`drop trigger audit_log_no_update`.execute(db);
    const conditions = [...KEPT.map((column) => `new."${column}" is old."${column}"`), ...HIDDEN.map(isHidden)];
    await sql
      .raw(`
        create trigger audit_log_no_update before update on audit_log
        when not exists (
          select 1 from audit_erasure door where door.pseudonym like 'erased-________' and ${conditions.join(' and ')}
        )
        begin select raise(abort, 'the audit log is append-only'); end
      `)
      .execute(db);
  },
};
