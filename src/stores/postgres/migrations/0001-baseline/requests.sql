-- The request log, the usage sums, captures and the reports about cached responses.

-- Partitioned by week, so that old lines are dropped with their files. Lines that belong to no week, such as those
-- without a time, go to `request_log_rest`, so that none is rejected. The only indexes are by time and id, since each
-- further one would touch other pages for every row. No NOT NULL, and types that accept any text and number: a row that
-- the database rejects would block all rows behind it. `is_private` marks lines that are not counted.
create table request_log (
  id bigint not null,
  request_id text,
  at_ms double precision,
  account_id text,
  key_id text,
  format text,
  model_id text,
  channel_id text,
  provider text,
  upstream_model text,
  stream smallint,
  status double precision,
  error_code text,
  failure_kind text,
  client_gone smallint,
  retry_count double precision,
  latency_ms double precision,
  first_byte_ms double precision,
  input_tokens double precision,
  cached_input_tokens double precision,
  cache_write_tokens double precision,
  output_tokens double precision,
  reasoning_tokens double precision,
  usage_source text,
  upstream_request_id text,
  failed_attempts text,
  cost_nano numeric,
  is_private smallint,
  answer_model text,
  other_quantities text,
  cache_match text,
  cache_entry_id text,
  tags text,
  losses text,
  story text
) partition by range (at_ms);
create sequence request_log_ids owned by request_log.id;
-- The first partition has no lower bound, and ends on the first Monday (UTC) at least a day ahead. 1970 began on a
-- Thursday, so weeks begin at 4 days.
do $$
  declare
    week constant bigint := 604800000;
    monday constant bigint := 345600000;
    now_ms bigint := (extract(epoch from now()) * 1000)::bigint;
    first_until bigint := ((now_ms + 86400000 - monday) / week + 1) * week + monday;
  begin
    execute format(
      'create table request_log_first partition of request_log for values from (minvalue) to (%s)', first_until
    );
  end
$$;
create index request_log_first_by_time on request_log_first (at_ms);
create index request_log_first_by_id on request_log_first (id);
create index request_log_by_time on request_log (at_ms);
create index request_log_by_id on request_log (id);
alter table only request_log alter column id set default nextval('request_log_ids');
create table request_log_rest partition of request_log default;

-- The latest count of the request log and the claim on the next one, in at most one row.
create table success_snapshot (
  id smallint primary key check (id = 1),
  at_ms double precision,
  window_ms double precision,
  counts text,
  claimed_at_ms double precision
);

-- Usage that is not rolled up yet. Rows live for seconds, so dead rows are vacuumed early.
create table usage_deltas (
  id bigint generated always as identity primary key,
  at_ms bigint not null,
  account_id text collate "C" not null,
  key_id text collate "C" not null default '',
  model_id text collate "C" not null default '',
  channel_id text collate "C" not null default '',
  status integer not null default 0,
  tag text collate "C" not null default '',
  requests bigint not null default 0,
  errors bigint not null default 0,
  cache_hits bigint not null default 0,
  input_tokens bigint not null default 0,
  cached_input_tokens bigint not null default 0,
  cache_write_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  reasoning_tokens bigint not null default 0,
  latency_ms_sum bigint not null default 0,
  first_byte_ms_sum bigint not null default 0,
  first_byte_count bigint not null default 0,
  cost_nano bigint not null default 0,
  latency_ms_max bigint not null default 0,
  saved_nano bigint not null default 0
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);
create trigger usage_deltas_moved after delete on usage_deltas referencing old table as moved
for each statement execute function usage_count_account_days();

-- The sums of minutes, hours and days (UTC), where the empty account stands for all accounts. Young sums change often,
-- so pages have free space.
create table usage_rollups (
  level text collate "C" not null check (level in ('minute', 'hour', 'day')),
  bucket_ms bigint not null,
  account_id text collate "C" not null,
  key_id text collate "C" not null default '',
  model_id text collate "C" not null default '',
  channel_id text collate "C" not null default '',
  status integer not null default 0,
  tag text collate "C" not null default '',
  requests bigint not null default 0,
  errors bigint not null default 0,
  cache_hits bigint not null default 0,
  input_tokens bigint not null default 0,
  cached_input_tokens bigint not null default 0,
  cache_write_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  reasoning_tokens bigint not null default 0,
  latency_ms_sum bigint not null default 0,
  first_byte_ms_sum bigint not null default 0,
  first_byte_count bigint not null default 0,
  cost_nano bigint not null default 0,
  latency_ms_max bigint not null default 0,
  saved_nano bigint not null default 0,
  primary key (account_id, level, bucket_ms, key_id, model_id, channel_id, status, tag)
) with (fillfactor = 80);

-- The cost of each account per day (UTC) for everything rolled up, to find the most expensive accounts. A trigger
-- updates it in the transaction that moves the rows, so it is exact.
create table usage_account_days (
  account_id text collate "C" not null,
  day_ms bigint not null,
  cost_nano bigint not null,
  requests bigint not null,
  primary key (account_id, day_ms)
) with (fillfactor = 80);
create index usage_account_days_dearest on usage_account_days (day_ms, cost_nano, requests);

-- The time up to which minute sums are merged into quarter-hours, and the times before which sums may be missing,
-- whatever the current settings.
create table usage_thinning (
  one integer primary key check (one = 1),
  thinned_until_ms bigint not null,
  minutes_before_ms bigint not null default 0,
  hours_before_ms bigint not null default 0,
  ranks_before_ms bigint not null default 0
);

create table captures (
  request_id text collate "C" not null primary key,
  account_id text collate "C" not null,
  at_ms bigint not null,
  bytes bigint not null,
  facts text not null,
  request bytea not null,
  answer bytea not null
);
-- Encrypted data cannot be compressed.
alter table captures alter column request set storage external, alter column answer set storage external;
create index captures_by_account on captures (account_id, at_ms);
create index captures_by_time on captures (at_ms);

-- The total size per account.
create table capture_sums (account_id text collate "C" not null primary key, bytes bigint not null);

-- Client feedback on cached responses. A key has one report per entry, so the number of reports is the number of keys.
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
);
create index cache_reports_by_account on cache_reports (account_id, row_id);
create index cache_reports_by_time on cache_reports (at_ms);
