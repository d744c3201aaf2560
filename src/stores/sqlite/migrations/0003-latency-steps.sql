-- The number of requests with a latency within each step (domain/usage/latency-steps.ts), where NULL is zero. The tables are copied once: adding a column to a strict table would check all of its rows, for each
-- of the columns.

create table usage_deltas_next (
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
  saved_nano integer not null default 0,
  unpriced_requests integer not null default 0,
  latency_le_10 integer,
  latency_le_22 integer,
  latency_le_47 integer,
  latency_le_100 integer,
  latency_le_150 integer,
  latency_le_220 integer,
  latency_le_330 integer,
  latency_le_470 integer,
  latency_le_680 integer,
  latency_le_1000 integer,
  latency_le_1500 integer,
  latency_le_2200 integer,
  latency_le_3300 integer,
  latency_le_4700 integer,
  latency_le_6800 integer,
  latency_le_10000 integer,
  latency_le_15000 integer,
  latency_le_22000 integer,
  latency_le_33000 integer,
  latency_le_47000 integer,
  latency_le_68000 integer,
  latency_le_100000 integer,
  latency_le_150000 integer,
  latency_le_220000 integer,
  latency_le_330000 integer,
  latency_le_680000 integer,
  latency_le_1500000 integer,
  latency_above integer
) strict;
insert into usage_deltas_next (
  id, at_ms, account_id, key_id, model_id, channel_id, status, tag, requests, errors, cache_hits,
  input_tokens, cached_input_tokens, cache_write_tokens, output_tokens, reasoning_tokens, latency_ms_sum,
  first_byte_ms_sum, first_byte_count, cost_nano, latency_ms_max, saved_nano, unpriced_requests
) select
  id, at_ms, account_id, key_id, model_id, channel_id, status, tag, requests, errors, cache_hits,
  input_tokens, cached_input_tokens, cache_write_tokens, output_tokens, reasoning_tokens, latency_ms_sum,
  first_byte_ms_sum, first_byte_count, cost_nano, latency_ms_max, saved_nano, unpriced_requests
from usage_deltas;
drop table usage_deltas;
alter table usage_deltas_next rename to usage_deltas;
create trigger usage_deltas_moved after delete on usage_deltas when old.tag = '' begin
  insert into usage_account_days (account_id, day_ms, cost_nano, requests)
    values (old.account_id, old.at_ms - old.at_ms % 86400000, old.cost_nano, old.requests)
    on conflict (account_id, day_ms) do update set
      cost_nano = cost_nano + excluded.cost_nano, requests = requests + excluded.requests;
end;

create table usage_rollups_next (
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
  unpriced_requests integer not null default 0,
  latency_le_10 integer,
  latency_le_22 integer,
  latency_le_47 integer,
  latency_le_100 integer,
  latency_le_150 integer,
  latency_le_220 integer,
  latency_le_330 integer,
  latency_le_470 integer,
  latency_le_680 integer,
  latency_le_1000 integer,
  latency_le_1500 integer,
  latency_le_2200 integer,
  latency_le_3300 integer,
  latency_le_4700 integer,
  latency_le_6800 integer,
  latency_le_10000 integer,
  latency_le_15000 integer,
  latency_le_22000 integer,
  latency_le_33000 integer,
  latency_le_47000 integer,
  latency_le_68000 integer,
  latency_le_100000 integer,
  latency_le_150000 integer,
  latency_le_220000 integer,
  latency_le_330000 integer,
  latency_le_680000 integer,
  latency_le_1500000 integer,
  latency_above integer,
  primary key (account_id, level, bucket_ms, key_id, model_id, channel_id, status, tag)
) strict, without rowid;
insert into usage_rollups_next (
  level, bucket_ms, account_id, key_id, model_id, channel_id, status, tag, requests, errors, cache_hits,
  input_tokens, cached_input_tokens, cache_write_tokens, output_tokens, reasoning_tokens, latency_ms_sum,
  first_byte_ms_sum, first_byte_count, cost_nano, latency_ms_max, saved_nano, unpriced_requests
) select
  level, bucket_ms, account_id, key_id, model_id, channel_id, status, tag, requests, errors, cache_hits,
  input_tokens, cached_input_tokens, cache_write_tokens, output_tokens, reasoning_tokens, latency_ms_sum,
  first_byte_ms_sum, first_byte_count, cost_nano, latency_ms_max, saved_nano, unpriced_requests
from usage_rollups;
drop table usage_rollups;
alter table usage_rollups_next rename to usage_rollups;
