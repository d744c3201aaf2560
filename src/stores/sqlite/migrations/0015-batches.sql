-- Files that the gateway keeps for accounts, in encrypted chunks of 256 KiB, and batches with their lines.

create table files (
  id text not null primary key,
  account_id text not null,
  key_id text,
  purpose text not null,
  state text not null check (state in ('writing', 'whole', 'deleted')),
  bytes integer not null,
  created_at_ms integer not null,
  expires_at_ms integer,
  sealed_name blob not null
) strict, without rowid;
create index files_by_account on files (account_id, created_at_ms, id);
create index files_by_time on files (created_at_ms, id);
create index files_by_expiry on files (expires_at_ms) where expires_at_ms is not null;

create table file_chunks (
  file_id text not null references files (id),
  number integer not null,
  sealed blob not null,
  primary key (file_id, number)
) strict;

-- A batch is read by its id, listed by account, and claimed while it is open.
create table batches (
  id text not null primary key,
  account_id text not null,
  key_id text not null,
  api text not null,
  endpoint text not null,
  input_file_id text not null,
  created_at_ms integer not null,
  deadline_ms integer not null,
  keep_output_ms integer,
  stage text not null check (
    stage in ('validating', 'running', 'finalizing', 'completed', 'failed', 'expired', 'cancelled')
  ),
  lines integer not null,
  sums text not null,
  cost_nano integer not null,
  started_at_ms integer,
  cancel_asked_at_ms integer,
  finalizing_at_ms integer,
  ended_at_ms integer,
  expires_at_ms integer,
  output_file_id text,
  error_file_id text,
  owner text,
  claim integer not null,
  sealed_notes blob not null
) strict, without rowid;
create index batches_by_account on batches (account_id, created_at_ms, id);
create index batches_by_time on batches (created_at_ms, id);
create index batches_open on batches (created_at_ms, id) where stage in ('validating', 'running', 'finalizing');
create index batches_open_by_account on batches (account_id) where stage in ('validating', 'running', 'finalizing');
create index batches_by_expiry on batches (expires_at_ms) where expires_at_ms is not null;

-- The place of each line in its input file, and its result, which is written once.
create table batch_lines (
  batch_id text not null references batches (id),
  number integer not null,
  at_byte integer not null,
  bytes integer not null,
  outcome text check (outcome in ('succeeded', 'errored', 'cancelled', 'expired')),
  cost_nano integer,
  input_tokens integer,
  cached_tokens integer,
  output_tokens integer,
  reasoning_tokens integer,
  sealed_result blob,
  primary key (batch_id, number)
) strict;
create index batch_lines_waiting on batch_lines (batch_id, number) where outcome is null;
