import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { OnlineMigration } from '../upgrade/migration.ts';

/**
 * What each account has cost in each day (UTC), of everything that was moved out of `usage_deltas`: the operators' overview finds the dearest
 * accounts by it. A trigger adds it up in the transaction that moves the rows, so it is exact, also while a node of an older version moves them.
 */
export const accountDaysMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of [...TABLE, ...TRIGGER]) await sql.raw(statement).execute(db);
  },
};

/** As in `PostgresUsage`: whoever holds this lock is the only one that moves rows. */
const ROLLER_LOCK = 0x75_73_61_67_65_73n;

export const accountDaysOnlineMigration: OnlineMigration = {
  async up(db) {
    for (const statement of [...TABLE, ...TRIGGER]) await sql.raw(statement).execute(db);
    return {};
  },
  steps: {
    // The sums of days are what has been moved so far. Nothing is moved while they are copied, and requests wait for neither.
    fill: {
      kind: 'statements',
      statements: [`do $$ begin perform pg_advisory_xact_lock(${ROLLER_LOCK}); ${fill()}; end $$`],
    },
  },
};

const TABLE = [
  `create table usage_account_days (
    account_id text collate "C" not null,
    day_ms bigint not null,
    cost_nano bigint not null,
    requests bigint not null,
    primary key (account_id, day_ms)
  ) with (fillfactor = 80)`,
  'create index usage_account_days_dearest on usage_account_days (day_ms, cost_nano, requests)',
];

const TRIGGER = [
  `create function usage_count_account_days() returns trigger language plpgsql as $$
  begin
    insert into usage_account_days (account_id, day_ms, cost_nano, requests)
      select account_id, at_ms - at_ms % 86400000, sum(cost_nano), sum(requests) from moved where tag = '' group by 1, 2
      on conflict (account_id, day_ms) do update set
        cost_nano = usage_account_days.cost_nano + excluded.cost_nano, requests = usage_account_days.requests + excluded.requests;
    return null;
  end
  $$`,
  `create trigger usage_deltas_moved after delete on usage_deltas referencing old table as moved
    for each statement execute function usage_count_account_days()`,
];

/** May be run again: what it writes is the sum, whatever is there. */
function fill(): string {
  return `
    insert into usage_account_days (account_id, day_ms, cost_nano, requests)
      select account_id, bucket_ms, sum(cost_nano), sum(requests) from usage_rollups
      where level = 'day' and tag = '' and account_id <> '' group by 1, 2
      on conflict (account_id, day_ms) do update set cost_nano = excluded.cost_nano, requests = excluded.requests
  `;
}
