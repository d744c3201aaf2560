import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Gives accounts and credentials their own version, and each account the version of its latest change, so that a gateway can evict changed
 * accounts instead of rereading hundreds of thousands of keys. Adds indexes to find keys by hash and by the names that people use.
 */
export const accountChangesMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table directory_version add column access_version integer not null default 0`.execute(db);
    await sql`
      create table account_changes (account_id text primary key not null, version integer not null) strict, without rowid
    `.execute(db);
    await sql`create index account_changes_by_version on account_changes (version)`.execute(db);
    await createTriggers(db, 'accounts', 'id');
    await createTriggers(db, 'credentials', 'account_id');
    for (const column of ['secret_hash', 'id', 'preview', 'origin']) {
      await sql`create index ${sql.id(`credentials_by_${column}`)} on credentials (${sql.ref(column)})`.execute(db);
    }
    await sql`create index accounts_by_origin on accounts (origin)`.execute(db);
    await sql`
      create index credentials_usable on credentials (account_id) where kind = 'inference' and revoked_at_ms is null
    `.execute(db);
  },
};

/** Replaces the triggers that counted for the whole directory. */
async function createTriggers(db: Kysely<unknown>, table: string, accountColumn: string): Promise<void> {
  for (const event of ['insert', 'update', 'delete']) {
    const name = sql.id(`${table}_${event}_version`);
    const row = sql.raw(event === 'delete' ? 'old' : 'new');
    await sql`drop trigger ${name}`.execute(db);
    await sql`
      create trigger ${name} after ${sql.raw(event)} on ${sql.table(table)} begin
        update directory_version set access_version = access_version + 1;
        insert into account_changes (account_id, version)
          select ${row}.${sql.raw(accountColumn)}, access_version from directory_version where true
          on conflict (account_id) do update set version = excluded.version;
      end
    `.execute(db);
  }
}
