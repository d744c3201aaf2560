import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * The cost of each account per day (UTC) for everything rolled up from `usage_deltas`. The operators' overview uses it to find the most
 * expensive accounts. A trigger updates it in the transaction that moves the rows, so it is exact.
 */
export const accountDaysMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};

const STATEMENTS = [
  `create table usage_account_days (
    account_id text not null,
    day_ms integer not null,
    cost_nano integer not null,
    requests integer not null,
    primary key (account_id, day_ms)
  ) strict, without rowid`,
  'create index usage_account_days_dearest on usage_account_days (day_ms, cost_nano, requests)',
  `create trigger usage_deltas_moved after delete on usage_deltas when old.tag = '' begin
    insert into usage_account_days (account_id, day_ms, cost_nano, requests)
      values (old.account_id, old.at_ms - old.at_ms % 86400000, old.cost_nano, old.requests)
      on conflict (account_id, day_ms) do update set
        cost_nano = cost_nano + excluded.cost_nano, requests = requests + excluded.requests;
  end`,
  `insert into usage_account_days (account_id, day_ms, cost_nano, requests)
    select account_id, bucket_ms, sum(cost_nano), sum(requests) from usage_rollups
    where level = 'day' and tag = '' and account_id <> '' group by 1, 2`,
];
