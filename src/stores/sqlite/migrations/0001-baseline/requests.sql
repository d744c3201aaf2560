-- The request log, the usage sums, captures and the reports about cached responses.

-- The only index is by time, whose pages are filled in order. Each further one, by account or model, touches other
-- pages for every row: it raised the cost of a row in a 100-row flush from 2.3 µs to 8 µs (measured on ext4, Bun
-- 1.4.5). Neither STRICT nor NOT NULL, since a row that SQLite rejects would block all rows behind it. `is_private`
-- marks lines that are not counted.
create table request_log (
  id integer primary key,
  request_id text,
  at_ms integer,
  account_id text,
  key_id text,
  format text,
  model_id text,
  channel_id text,
  provider text,
  upstream_model text,
  stream integer,
  status integer,
  error_code text,
  failure_kind text,
  client_gone integer,
  retry_count integer,
  latency_ms real,
  first_byte_ms real,
  input_tokens integer,
  cached_input_tokens integer,
  cache_write_tokens integer,
  output_tokens integer,
  reasoning_tokens integer,
  usage_source text,
  upstream_request_id text,
  failed_attempts text,
  cost_nano integer,
  is_private integer,
  answer_model text,
  other_quantities text,
  cache_match text,
  cache_entry_id text,
  tags text,
  losses text,
  story text
);
create index request_log_by_time on request_log (at_ms);

-- The latest count of the request log and the claim on the next one, in at most one row.
create table success_snapshot (
  id integer primary key check (id = 1),
  at_ms real,
  window_ms real,
  counts text,
  claimed_at_ms real
) strict;

-- Usage that is not rolled up yet.
create table usage_deltas (
  id integer primary key,
  at_ms integer not null,
  account_id text not null,
  key_id text not null default '',
  model_id text not null default '',
  channel_id text not null default '',
  status integer not null default 0,
  tag text not null default '',
  requests integer not null default 0,
  errors integer not null default 0,
  cache_hits integer not null default 0,
  input_tokens integer not null default 0,
  cached_input_tokens integer not null default 0,
  cache_write_tokens integer not null default 0,
  output_tokens integer not null default 0,
  reasoning_tokens integer not null default 0,
  latency_ms_sum integer not null default 0,
  first_byte_ms_sum integer not null default 0,
  first_byte_count integer not null default 0,
  cost_nano integer not null default 0,
  latency_ms_max integer not null default 0,
  saved_nano integer not null default 0
) strict;
create trigger usage_deltas_moved after delete on usage_deltas when old.tag = '' begin
  insert into usage_account_days (account_id, day_ms, cost_nano, requests)
    values (old.account_id, old.at_ms - old.at_ms % 86400000, old.cost_nano, old.requests)
    on conflict (account_id, day_ms) do update set
      cost_nano = cost_nano + excluded.cost_nano, requests = requests + excluded.requests;
end;

-- The sums of minutes, hours and days (UTC), where the empty account stands for all accounts.
create table usage_rollups (
  level text not null check (level in ('minute', 'hour', 'day')),
  bucket_ms integer not null,
  account_id text not null,
  key_id text not null default '',
  model_id text not null default '',
  channel_id text not null default '',
  status integer not null default 0,
  tag text not null default '',
  requests integer not null default 0,
  errors integer not null default 0,
  cache_hits integer not null default 0,
  input_tokens integer not null default 0,
  cached_input_tokens integer not null default 0,
  cache_write_tokens integer not null default 0,
  output_tokens integer not null default 0,
  reasoning_tokens integer not null default 0,
  latency_ms_sum integer not null default 0,
  first_byte_ms_sum integer not null default 0,
  first_byte_count integer not null default 0,
  cost_nano integer not null default 0,
  latency_ms_max integer not null default 0,
  saved_nano integer not null default 0,
  primary key (account_id, level, bucket_ms, key_id, model_id, channel_id, status, tag)
) strict, without rowid;

-- The cost of each account per day (UTC) for everything rolled up, to find the most expensive accounts. A trigger
-- updates it in the transaction that moves the rows, so it is exact.
create table usage_account_days (
  account_id text not null,
  day_ms integer not null,
  cost_nano integer not null,
  requests integer not null,
  primary key (account_id, day_ms)
) strict, without rowid;
create index usage_account_days_dearest on usage_account_days (day_ms, cost_nano, requests);

-- The time up to which minute sums are merged into quarter-hours, and the times before which sums may be missing,
-- whatever the current settings.
create table usage_thinning (
  one integer primary key check (one = 1),
  thinned_until_ms integer not null,
  minutes_before_ms integer not null default 0,
  hours_before_ms integer not null default 0,
  ranks_before_ms integer not null default 0
) strict;

-- Large bodies are stored on overflow pages, so columns are in the order in which they are read.
create table captures (
  request_id text not null primary key,
  account_id text not null,
  at_ms integer not null,
  bytes integer not null,
  facts text not null,
  request blob not null,
  answer blob not null
) strict;
create index captures_by_account on captures (account_id, at_ms);
create index captures_by_time on captures (at_ms);

-- The total size per account.
create table capture_sums (account_id text not null primary key, bytes integer not null) strict;

-- Client feedback on cached responses. A key has one report per entry, so the number of reports is the number of keys.
create table cache_reports (
  row_id integer primary key autoincrement,
  id text not null unique,
  entry_id text not null,
  cache_key text not null,
  account_id text not null,
  key_id text not null,
  model_id text not null,
  type text not null check (type in ('wrong_answer', 'outdated', 'incomplete', 'unsafe', 'other')),
  sealed_description blob,
  at_ms integer not null,
  invalidated_at_ms integer,
  unique (entry_id, account_id, key_id)
) strict;
create index cache_reports_by_account on cache_reports (account_id, row_id);
create index cache_reports_by_time on cache_reports (at_ms);
