-- Stored responses, the origins of provider objects, and tasks.

-- An id is unique within its account only: an account's own upstream may choose it, and must learn nothing about other
-- accounts. The two large columns come last, so that reading the others (walking a chain, finding expired rows) does
-- not read their pages.
create table responses (
  row_id integer primary key,
  account_id text not null,
  id text not null,
  created_at_ms integer not null,
  expires_at_ms integer not null,
  previous_id text,
  channel_id text,
  upstream_stored integer not null,
  sealed_input blob not null,
  sealed_response blob not null,
  unique (account_id, id)
) strict;
create index responses_by_expiry on responses (expires_at_ms);
create index responses_by_account on responses (account_id);
create trigger responses_counted after insert on responses begin
  insert into response_usage select new.account_id, 0, 0
  where not exists (select 1 from response_usage where account_id = new.account_id);
  update response_usage
  set responses = responses + 1, bytes = bytes + length(new.sealed_input) + length(new.sealed_response)
  where account_id = new.account_id;
end;
create trigger responses_discounted after delete on responses begin
  update response_usage
  set responses = responses - 1, bytes = bytes - length(old.sealed_input) - length(old.sealed_response)
  where account_id = old.account_id;
  delete from response_usage where account_id = old.account_id and responses = 0;
end;

-- The stored amount per account, updated with every change, so that checking a quota needs no sum.
create table response_usage (
  account_id text primary key,
  responses integer not null,
  bytes integer not null
) strict, without rowid;

-- An id belongs to one account. Another account may have received the same id, and neither learns of the other.
create table object_origins (
  account_id text not null,
  object_id text not null,
  channel_id text,
  response_id text,
  expires_at_ms integer not null,
  primary key (account_id, object_id)
) strict, without rowid;
create index object_origins_by_expiry on object_origins (expires_at_ms);
create index object_origins_by_account on object_origins (account_id, expires_at_ms);

-- Work that outlives its request. Finished tasks are many and are only read by id. Frequent queries read open tasks,
-- which have their own indexes.
create table tasks (
  row_id integer primary key,
  id text not null unique,
  request_id text not null,
  account_id text not null,
  key_id text,
  kind text not null,
  model_id text not null,
  created_at_ms integer not null,
  deadline_ms integer not null,
  stage text not null check (stage in ('created', 'submitting', 'submitted', 'closing', 'completed', 'failed')),
  is_processing integer not null,
  progress integer,
  channel_id text,
  provider text,
  upstream_model text,
  wire text,
  is_private integer,
  asked text,
  submitted_at_ms integer,
  poll_errors integer not null,
  last_poll_error text,
  kept text not null,
  cost_nano integer,
  ended_at_ms integer,
  expires_at_ms integer,
  owner text,
  claim integer not null,
  sealed_ticket blob,
  sealed_ending blob,
  tags text
) strict;
create index tasks_by_account on tasks (account_id, created_at_ms, id);
create index tasks_by_time on tasks (created_at_ms, id);
create index tasks_by_expiry on tasks (expires_at_ms) where expires_at_ms is not null;
create index tasks_open_by_time on tasks (created_at_ms, id) where stage not in ('completed', 'failed');
create index tasks_open_by_owner on tasks (owner, created_at_ms, id) where stage not in ('completed', 'failed');
create index tasks_open_by_account on tasks (account_id, created_at_ms, id) where stage not in ('completed', 'failed');
create index tasks_open_figures on tasks (kind, provider, stage, created_at_ms) where stage not in ('completed', 'failed');

create table task_owners (
  owner text not null primary key,
  alive_until_ms integer not null
) strict, without rowid;
