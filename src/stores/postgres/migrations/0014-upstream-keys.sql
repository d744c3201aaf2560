-- Several upstream keys of one channel: their credentials, sealed as one text, and everything else as JSON.
-- NULL for a channel with one key.
alter table channels add column sealed_api_keys text;
alter table channels add column api_keys text;

-- The learned health of single keys, in the form of channel_health.
create table upstream_key_health (
  channel_id text collate "C" not null references channels (id) on delete cascade,
  upstream_key text collate "C" not null,
  upstream_model text collate "C" not null,
  state text not null,
  available_at_ms double precision,
  openings double precision not null,
  requests double precision not null,
  failures double precision not null,
  last_failure text,
  last_failure_at_ms double precision,
  first_byte_ms double precision,
  updated_at_ms double precision not null,
  primary key (channel_id, upstream_key, upstream_model)
);

-- How much was spent with each key, in the period of its cap and in all. The key that a channel had before it had
-- several has the empty text.
create table upstream_key_spending (
  channel_id text collate "C" not null references channels (id) on delete cascade,
  upstream_key text collate "C" not null,
  period text collate "C" not null,
  spent_nano bigint not null,
  ends_at_ms bigint,
  primary key (channel_id, upstream_key, period)
);

-- The key that a job was submitted with; NULL for the only key of its channel.
alter table tasks add column upstream_key text;

-- The name of the key that answered or was tried last; NULL for the only key of its channel.
alter table request_log add column upstream_key text;
