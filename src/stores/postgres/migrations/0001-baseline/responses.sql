-- Stored responses, the origins of provider objects, and tasks.

-- An id is unique within its account only: an account's own upstream may choose it, and must learn nothing about other
-- accounts.
create table responses (
  row_id bigint generated always as identity primary key,
  account_id text collate "C" not null,
  id text collate "C" not null,
  created_at_ms double precision not null,
  expires_at_ms double precision not null,
  previous_id text collate "C",
  channel_id text,
  upstream_stored smallint not null,
  sealed_input bytea not null,
  sealed_response bytea not null,
  unique (account_id, id)
);
create index responses_by_expiry on responses (expires_at_ms);
create index responses_by_account on responses (account_id, row_id);
create trigger responses_counted after insert on responses
referencing new table as changed for each statement execute function responses_counted();
create trigger responses_discounted after delete on responses
referencing old table as changed for each statement execute function responses_discounted();

-- The stored amount per account, updated with every change, so that checking a quota needs no sum: once per statement
-- and in order of accounts, so that concurrent deletions of many accounts' rows do not deadlock.
create table response_usage (
  account_id text collate "C" primary key,
  responses bigint not null,
  bytes bigint not null
);

-- An id belongs to one account. Another account may have received the same id, and neither learns of the other.
create table object_origins (
  account_id text not null,
  object_id text not null,
  channel_id text,
  response_id text,
  expires_at_ms double precision not null,
  primary key (account_id, object_id)
);
create index object_origins_by_expiry on object_origins (expires_at_ms);
create index object_origins_by_account on object_origins (account_id, expires_at_ms);

-- Work that outlives its request. Finished tasks are many and are only read by id. Frequent queries read open tasks,
-- which have their own indexes. Pages have free space, so that updates of a task's progress stay on the page and no
-- index changes.
create table tasks (
  id text collate "C" primary key,
  request_id text not null,
  account_id text collate "C" not null,
  key_id text collate "C",
  kind text collate "C" not null,
  model_id text not null,
  created_at_ms bigint not null,
  deadline_ms bigint not null,
  stage text collate "C" not null check (stage in ('created', 'submitting', 'submitted', 'closing', 'completed', 'failed')),
  is_processing smallint not null,
  progress bigint,
  channel_id text collate "C",
  provider text collate "C",
  upstream_model text,
  wire text,
  is_private smallint,
  asked text,
  submitted_at_ms bigint,
  poll_errors bigint not null,
  last_poll_error text,
  kept text not null,
  cost_nano bigint,
  ended_at_ms bigint,
  expires_at_ms bigint,
  owner text collate "C",
  claim bigint not null,
  sealed_ticket bytea,
  sealed_ending bytea,
  tags text
) with (fillfactor = 85);
create index tasks_by_account on tasks (account_id, created_at_ms, id);
create index tasks_by_time on tasks (created_at_ms, id);
create index tasks_by_expiry on tasks (expires_at_ms) where expires_at_ms is not null;
create index tasks_open_by_time on tasks (created_at_ms, id) where stage not in ('completed', 'failed');
create index tasks_open_by_owner on tasks (owner, created_at_ms, id) where stage not in ('completed', 'failed');
create index tasks_open_by_account on tasks (account_id, created_at_ms, id) where stage not in ('completed', 'failed');
create index tasks_open_figures on tasks (kind, provider, stage, created_at_ms) where stage not in ('completed', 'failed');

create table task_owners (owner text collate "C" primary key, alive_until_ms bigint not null);
