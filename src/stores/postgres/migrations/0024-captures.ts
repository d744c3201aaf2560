import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The capture setting of accounts, the captures, and their total size per account. */
export const capturesMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table accounts add column capture text not null default 'none'`.execute(db);
    for (const statement of TABLES) await sql.raw(statement).execute(db);
  },
};

const TABLES: readonly string[] = [
  `create table captures (
    request_id text collate "C" not null primary key,
    account_id text collate "C" not null,
    at_ms bigint not null,
    bytes bigint not null,
    facts text not null,
    request bytea not null,
    answer bytea not null
  )`,
  // Encrypted data cannot be compressed.
  'alter table captures alter column request set storage external, alter column answer set storage external',
  'create index captures_by_account on captures (account_id, at_ms)',
  'create index captures_by_time on captures (at_ms)',
  `create table capture_sums (
    account_id text collate "C" not null primary key,
    bytes bigint not null
  )`,
];
