import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

const INTEGERS = [
  'requests',
  'errors',
  'cache_hits',
  'input_tokens',
  'cached_input_tokens',
  'cache_write_tokens',
  'output_tokens',
  'reasoning_tokens',
  'latency_ms_sum',
  'first_byte_ms_sum',
  'first_byte_count',
  'cost_nano',
];
const MEASURES = [...INTEGERS, 'latency_ms_max'].map((column) => `${column} integer not null default 0`).join(', ');
const DIMENSIONS = `
  account_id text not null,
  key_id text not null default '',
  model_id text not null default '',
  channel_id text not null default '',
  status integer not null default 0,
  tag text not null default ''
`;

/** The time at which a request ended, as in its charge; at least 0. */
const ENDED = 'cast(max(0, at_ms + coalesce(latency_ms, 0)) as integer)';

/**
 * Usage sums: `usage_deltas` has rows that are not rolled up yet, `usage_rollups` the sums of minutes, hours and days (UTC), where the
 * empty account stands for all accounts. Both are written by statements shared by many requests. Existing ledger entries and log lines are
 * counted, as far as the log still has the model of a charge.
 */
export const usageMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table request_log add column tags text`.execute(db);
    await sql`alter table request_log add column losses text`.execute(db);
    await sql`alter table tasks add column tags text`.execute(db);
    await sql
      .raw(
        `create table usage_deltas (id integer primary key, at_ms integer not null, ${DIMENSIONS}, ${MEASURES}) strict`,
      )
      .execute(db);
    await sql
      .raw(
        `create table usage_rollups (
          level text not null check (level in ('minute', 'hour', 'day')),
          bucket_ms integer not null,
          ${DIMENSIONS},
          ${MEASURES},
          primary key (account_id, level, bucket_ms, key_id, model_id, channel_id, status, tag)
        ) strict, without rowid`,
      )
      .execute(db);
    for (const index of LEDGER_INDEXES) await sql.raw(index).execute(db);
    for (const fill of [FILL_COUNTS, FILL_MONEY]) await sql.raw(fill).execute(db);
  },
};

/** Replaces the index by account alone, whose pages a new entry touches as well. Entries of the other kinds are few. */
const LEDGER_INDEXES = [
  'drop index ledger_entries_by_account',
  'create index ledger_entries_by_account on ledger_entries (account_id, at_ms)',
  `create index ledger_entries_but_charges on ledger_entries (account_id, at_ms) where kind <> 'charge'`,
];

const FILL_COUNTS = `
  insert into usage_deltas (
    at_ms, account_id, key_id, model_id, channel_id, status, requests, errors, cache_hits, input_tokens, cached_input_tokens,
    cache_write_tokens, output_tokens, reasoning_tokens, latency_ms_sum, first_byte_ms_sum, first_byte_count, latency_ms_max
  )
  select ${ENDED} / 60000 * 60000 as minute, account_id, coalesce(key_id, ''), coalesce(model_id, ''),
    coalesce(channel_id, ''), coalesce(status, 0), count(*), count(error_code), count(cache_match),
    cast(total(input_tokens) as integer), cast(total(cached_input_tokens) as integer),
    cast(total(cache_write_tokens) as integer), cast(total(output_tokens) as integer),
    cast(total(reasoning_tokens) as integer), cast(total(round(latency_ms)) as integer),
    cast(total(round(first_byte_ms)) as integer), count(first_byte_ms),
    cast(coalesce(max(round(latency_ms)), 0) as integer)
  from request_log where account_id is not null
  group by minute, 2, 3, 4, 5, 6
`;

/** A duplicate line must not count its charge twice. */
const FILL_MONEY = `
  insert into usage_deltas (at_ms, account_id, key_id, model_id, channel_id, status, cost_nano)
  select at_ms / 60000 * 60000 as minute, account_id, coalesce(key_id, ''), coalesce(model_id, ''),
    coalesce(channel_id, ''), coalesce(status, 0), sum(-amount_nano)
  from ledger_entries left join (
    select request_id, max(model_id) as model_id, max(channel_id) as channel_id, max(status) as status
    from request_log where cost_nano <> 0 group by request_id
  ) as line using (request_id)
  where kind = 'charge' and amount_nano <> 0
  group by minute, 2, 3, 4, 5, 6
`;
