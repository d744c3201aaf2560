import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Gives accounts and credentials their own version, and each account the version of its latest change, so that a gateway can evict changed
 * accounts instead of rereading hundreds of thousands of keys. Adds indexes to find keys by hash and by the names that people use.
 */
export const accountChangesMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const statements = [
      ...VERSION,
      ...triggersOf('accounts', 'id'),
      ...triggersOf('credentials', 'account_id'),
      ...INDEXES,
    ];
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
};

const VERSION = [
  'alter table directory_version add column access_version bigint not null default 0',
  'create table account_changes (account_id text collate "C" primary key, version bigint not null)',
  'create index account_changes_by_version on account_changes (version)',
];

const INDEXES = [
  ...['secret_hash', 'id', 'preview', 'origin'].map(
    (column) => `create index credentials_by_${column} on credentials (${column})`,
  ),
  'create index accounts_by_origin on accounts (origin)',
  `create index credentials_usable on credentials (account_id) where kind = 'inference' and revoked_at_ms is null`,
];

/** Replaces the triggers that counted for the whole directory. Truncating a table counts as a change of every account: ''. */
function triggersOf(table: string, accountColumn: string): readonly string[] {
  const count = (name: string, accounts: string) => `create function ${name}() returns trigger language plpgsql as $$
    begin
      update directory_version set access_version = access_version + 1;
      insert into account_changes (account_id, version)
        select account_id, access_version from directory_version, (${accounts}) as found
        on conflict (account_id) do update set version = excluded.version;
      return null;
    end
  $$`;
  const changed = `${table}_changed`;
  const emptied = `${table}_emptied`;
  return [
    `drop trigger ${table}_version on ${table}`,
    count(changed, `select distinct ${accountColumn} as account_id from changed`),
    count(emptied, "select '' as account_id"),
    ...[
      ['insert', 'new'],
      ['update', 'new'],
      ['delete', 'old'],
    ].map(
      ([event, rows]) => `create trigger ${table}_${event}_version after ${event} on ${table}
        referencing ${rows} table as changed for each statement execute function ${changed}()`,
    ),
    `create trigger ${table}_truncate_version after truncate on ${table} for each statement execute function ${emptied}()`,
  ];
}
