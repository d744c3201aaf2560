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
const MEASURES = [...INTEGERS, 'latency_ms_max'].map((column) => `${column} bigint not null default 0`).join(', ');
const DIMENSIONS = `
  account_id text collate "C" not null,
  key_id text collate "C" not null default '',
  model_id text collate "C" not null default '',
  channel_id text collate "C" not null default '',
  status integer not null default 0,
  tag text collate "C" not null default ''
`;

/** The time at which a request ended, as in its charge. */
export const ENDED = 'floor(greatest(0, at_ms + coalesce(latency_ms, 0)))::bigint';

/**
 * Usage sums: `usage_deltas` has rows that are not rolled up yet, `usage_rollups` the sums of minutes, hours and days (UTC), where the
 * empty account stands for all accounts. Delta rows live for seconds, so dead rows are vacuumed early; young roll-ups change often, so
 * their pages have free space. Existing ledger entries and log lines are counted, as far as the log still has the model of a charge.
 */
export const usageMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of [...TABLES, ...LEDGER_INDEXES, FILL_COUNTS, FILL_MONEY])
      await sql.raw(statement).execute(db);
  },
};

export const TABLES = [
  'alter table request_log add column tags text',
  'alter table request_log add column losses text',
  'alter table tasks add column tags text',
  `create table usage_deltas (
    id bigint generated always as identity primary key,
    at_ms bigint not null,
    ${DIMENSIONS},
    ${MEASURES}
  ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000)`,
  `create table usage_rollups (
    level text collate "C" not null check (level in ('minute', 'hour', 'day')),
    bucket_ms bigint not null,
    ${DIMENSIONS},
    ${MEASURES},
    primary key (account_id, level, bucket_ms, key_id, model_id, channel_id, status, tag)
  ) with (fillfactor = 80)`,
];

/** Replaces the index by account and sequence. Entries of the other kinds are few. */
const LEDGER_INDEXES = [
  'drop index ledger_entries_by_account',
  'create index ledger_entries_by_account on ledger_entries (account_id, at_ms, sequence)',
  `create index ledger_entries_but_charges on ledger_entries (account_id, at_ms, sequence) where kind <> 'charge'`,
];

const FILL_COUNTS = `
  insert into usage_deltas (
    at_ms, account_id, key_id, model_id, channel_id, status, requests, errors, cache_hits, input_tokens, cached_input_tokens,
    cache_write_tokens, output_tokens, reasoning_tokens, latency_ms_sum, first_byte_ms_sum, first_byte_count, latency_ms_max
  )
  select ${ENDED} / 60000 * 60000, account_id, coalesce(key_id, ''), coalesce(model_id, ''), coalesce(channel_id, ''),
    coalesce(status, 0)::integer, count(*), count(error_code), count(cache_match), coalesce(sum(input_tokens), 0),
    coalesce(sum(cached_input_tokens), 0), coalesce(sum(cache_write_tokens), 0), coalesce(sum(output_tokens), 0),
    coalesce(sum(reasoning_tokens), 0), coalesce(sum(round(latency_ms)), 0), coalesce(sum(round(first_byte_ms)), 0),
    count(first_byte_ms), coalesce(max(round(latency_ms)), 0)
  from request_log where account_id is not null
  group by 1, 2, 3, 4, 5, 6
`;

/** A duplicate line must not count its charge twice. */
const FILL_MONEY = `
  insert into usage_deltas (at_ms, account_id, key_id, model_id, channel_id, status, cost_nano)
  select at_ms / 60000 * 60000, account_id, coalesce(key_id, ''), coalesce(model_id, ''), coalesce(channel_id, ''),
    coalesce(status, 0)::integer, sum(-amount_nano)
  from ledger_entries left join (
    select request_id, max(model_id) as model_id, max(channel_id) as channel_id, max(status) as status
    from request_log where cost_nano <> 0 group by request_id
  ) as line using (request_id)
  where kind = 'charge' and amount_nano <> 0
  group by 1, 2, 3, 4, 5, 6
`;
