-- Several upstream keys of one channel: their credentials, sealed as one text, and everything else as JSON.
-- NULL for a channel with one key.
alter table channels add column sealed_api_keys text;
alter table channels add column api_keys text;

-- The learned health of single keys, in the form of channel_health.
create table upstream_key_health (
  channel_id text not null references channels (id) on delete cascade,
  upstream_key text not null,
  upstream_model text not null,
  state text not null,
  available_at_ms real,
  openings integer not null,
  requests integer not null,
  failures integer not null,
  last_failure text,
  last_failure_at_ms real,
  first_byte_ms real,
  updated_at_ms real not null,
  primary key (channel_id, upstream_key, upstream_model)
) strict, without rowid;

-- How much was spent with each key, in the period of its cap and in all. The key that a channel had before it had
-- several has the empty text.
create table upstream_key_spending (
  channel_id text not null references channels (id) on delete cascade,
  upstream_key text not null,
  period text not null,
  spent_nano integer not null,
  ends_at_ms integer,
  primary key (channel_id, upstream_key, period)
) strict, without rowid;

-- The key that a job was submitted with; NULL for the only key of its channel.
alter table tasks add column upstream_key text;

-- The name of the key that answered or was tried last; NULL for the only key of its channel.
alter table request_log add column upstream_key text;
