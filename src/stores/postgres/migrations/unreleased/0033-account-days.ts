import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { OnlineMigration } from '../../upgrade/migration.ts';

/**
 * The cost of each account per day (UTC) for everything rolled up from `usage_deltas`. The operators' overview uses it to find the most
 * expensive accounts. A trigger updates it in the transaction that moves the rows, so it is exact, also when a node of an older version
 * moves them.
 */
export const accountDaysMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of [...TABLE, ...TRIGGER]) await sql.raw(statement).execute(db);
  },
};

/** The lock of `PostgresUsageRoller`, whose holder is the only one to move rows. */
const ROLLER_LOCK = 0x75_73_61_67_65_73n;

export const accountDaysOnlineMigration: OnlineMigration = {
  async up(db) {
    for (const statement of [...TABLE, ...TRIGGER]) await sql.raw(statement).execute(db);
    return {};
  },
  steps: {
    // The day sums contain everything moved so far. Nothing is moved while they are copied, and requests wait for neither.
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

/** Idempotent: it writes the sum, whatever exists. */
function fill(): string {
  return `
    insert into usage_account_days (account_id, day_ms, cost_nano, requests)
      select account_id, bucket_ms, sum(cost_nano), sum(requests) from usage_rollups
      where level = 'day' and tag = '' and account_id <> '' group by 1, 2
      on conflict (account_id, day_ms) do update set cost_nano = excluded.cost_nano, requests = excluded.requests
  `;
}
