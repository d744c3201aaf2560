import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

const ACCOUNT_ERASURES_TABLE = `create table account_erasures (
  account_id text primary key,
  names text not null,
  pseudonym text not null,
  audited_until integer not null,
  rewritten integer not null
) strict`;

const KEPT = [
  'sequence',
  'idempotency_key',
  'account_id',
  'key_id',
  'kind',
  'amount_nano',
  'request_id',
  'at_ms',
  'counted_at_ms',
];

/**
 * Incomplete account erasures. While a transaction has a pseudonym in `audit_erasure`, notes of the ledger may be replaced by it; nothing
 * else of an entry can change.
 */
export const accountErasuresMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql.raw(ACCOUNT_ERASURES_TABLE).execute(db);
    await sql`drop trigger ledger_entries_no_update`.execute(db);
    const kept = KEPT.map((column) => `new."${column}" is old."${column}"`).join(' and ');
    await sql
      .raw(`
        create trigger ledger_entries_no_update before update on ledger_entries
        when not exists (
          select 1 from audit_erasure door
          where door.pseudonym like 'erased-________' and old.note is not null and new.note is door.pseudonym and ${kept}
        )
        begin select raise(abort, 'the ledger is append-only'); end
      `)
      .execute(db);
  },
};
