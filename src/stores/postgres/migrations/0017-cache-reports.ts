import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Client feedback on cached responses. A key has one report per entry, so the number of reports is the number of keys. */
export const cacheReportsMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`
      create table cache_reports (
        row_id bigint generated always as identity primary key,
        id text collate "C" not null unique,
        entry_id text collate "C" not null,
        cache_key text collate "C" not null,
        account_id text collate "C" not null,
        key_id text collate "C" not null,
        model_id text not null,
        type text not null check (type in ('wrong_answer', 'outdated', 'incomplete', 'unsafe', 'other')),
        sealed_description bytea,
        at_ms bigint not null,
        invalidated_at_ms bigint,
        unique (entry_id, account_id, key_id)
      )
    `.execute(db);
    await sql`create index cache_reports_by_account on cache_reports (account_id, row_id)`.execute(db);
    await sql`create index cache_reports_by_time on cache_reports (at_ms)`.execute(db);
  },
};
