-- Files that the gateway keeps for accounts, in encrypted chunks of 256 KiB, and batches with their lines.

create table files (
  id text collate "C" not null primary key,
  account_id text collate "C" not null,
  key_id text collate "C",
  purpose text collate "C" not null,
  state text collate "C" not null check (state in ('writing', 'whole', 'deleted')),
  bytes bigint not null,
  created_at_ms bigint not null,
  expires_at_ms bigint,
  sealed_name bytea not null
);
create index files_by_account on files (account_id, created_at_ms, id);
create index files_by_time on files (created_at_ms, id);
create index files_by_expiry on files (expires_at_ms) where expires_at_ms is not null;

create table file_chunks (
  file_id text collate "C" not null references files (id),
  number bigint not null,
  sealed bytea not null,
  primary key (file_id, number)
);

-- A batch is read by its id, listed by account, and claimed while it is open.
create table batches (
  id text collate "C" not null primary key,
  account_id text collate "C" not null,
  key_id text collate "C" not null,
  api text collate "C" not null,
  endpoint text not null,
  input_file_id text collate "C" not null,
  created_at_ms bigint not null,
  deadline_ms bigint not null,
  keep_output_ms bigint,
  stage text collate "C" not null check (
    stage in ('validating', 'running', 'finalizing', 'completed', 'failed', 'expired', 'cancelled')
  ),
  lines bigint not null,
  sums text not null,
  cost_nano bigint not null,
  started_at_ms bigint,
  cancel_asked_at_ms bigint,
  finalizing_at_ms bigint,
  ended_at_ms bigint,
  expires_at_ms bigint,
  output_file_id text collate "C",
  error_file_id text collate "C",
  owner text collate "C",
  claim bigint not null,
  sealed_notes bytea not null
);
create index batches_by_account on batches (account_id, created_at_ms, id);
create index batches_by_time on batches (created_at_ms, id);
create index batches_open on batches (created_at_ms, id) where stage in ('validating', 'running', 'finalizing');
create index batches_open_by_account on batches (account_id) where stage in ('validating', 'running', 'finalizing');
create index batches_by_expiry on batches (expires_at_ms) where expires_at_ms is not null;

-- The place of each line in its input file, and its result, which is written once.
create table batch_lines (
  batch_id text collate "C" not null references batches (id),
  number bigint not null,
  at_byte bigint not null,
  bytes bigint not null,
  outcome text collate "C" check (outcome in ('succeeded', 'errored', 'cancelled', 'expired')),
  cost_nano bigint,
  input_tokens bigint,
  cached_tokens bigint,
  output_tokens bigint,
  reasoning_tokens bigint,
  sealed_result bytea,
  primary key (batch_id, number)
);
create index batch_lines_waiting on batch_lines (batch_id, number) where outcome is null;
-- Sealed content does not compress.
alter table file_chunks alter column sealed set storage external;
alter table batch_lines alter column sealed_result set storage external;
