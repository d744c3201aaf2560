-- The directory: accounts, keys and tokens, models, channels and their versions.

-- Triggers count every change of the directory, including manual edits. A change locks this row until its commit, so
-- changes are serialised, and a reader of a number has seen every change counted before. `version` counts what serves
-- requests, `access_version` accounts and credentials.
create table directory_version (version bigint not null, access_version bigint not null default 0);
insert into directory_version (version) values (0);
create trigger directory_version_notify after update on directory_version
for each statement execute function directory_version_notify();

-- The version of each account's latest change, so that a gateway evicts changed accounts instead of rereading hundreds
-- of thousands of keys.
create table account_changes (account_id text collate "C" primary key, version bigint not null);
create index account_changes_by_version on account_changes (version);

-- The owners of changed channels, models and price lists, so that a gateway rereads only those. The empty owner stands
-- for shared rows: models, price lists and PLATFORM channels.
create table serving_changes (owner text collate "C" primary key, version bigint not null);
create index serving_changes_by_version on serving_changes (version);

-- `quotas` has the object quotas that differ from the default.
create table accounts (
  id text collate "C" primary key,
  name text not null,
  role text not null,
  admin smallint not null,
  billing text not null,
  requests_per_minute double precision,
  tokens_per_minute double precision,
  max_concurrent double precision,
  strategy text,
  created_at_ms double precision not null,
  origin text not null,
  archived_at_ms double precision,
  cache text,
  budget_nano_usd text,
  budget_per text,
  budget_time_zone text,
  capture text not null default 'none',
  quotas text
);
create index accounts_by_origin on accounts (origin);
create trigger accounts_insert_version after insert on accounts
referencing new table as changed for each statement execute function accounts_changed();
create trigger accounts_update_version after update on accounts
referencing new table as changed for each statement execute function accounts_changed();
create trigger accounts_delete_version after delete on accounts
referencing old table as changed for each statement execute function accounts_changed();
create trigger accounts_truncate_version after truncate on accounts for each statement execute function accounts_emptied();

-- `kind` is `inference` for keys and `management` for tokens. A token without `scopes` may do everything.
create table credentials (
  account_id text collate "C" not null references accounts (id),
  kind text collate "C" not null,
  id text collate "C" not null,
  name text not null,
  secret_hash text not null,
  preview text not null,
  limit_nano_usd text,
  models text,
  requests_per_minute double precision,
  expires_at_ms double precision,
  created_at_ms double precision not null,
  revoked_at_ms double precision,
  origin text not null,
  budget_nano_usd text,
  budget_per text,
  budget_time_zone text,
  scopes text,
  previous_secret_hash text,
  previous_secret_ends_at_ms double precision,
  primary key (account_id, kind, id)
);
create index credentials_by_secret_hash on credentials (secret_hash);
create index credentials_by_id on credentials (id);
create index credentials_by_preview on credentials (preview);
create index credentials_by_origin on credentials (origin);
create index credentials_usable on credentials (account_id) where kind = 'inference' and revoked_at_ms is null;
create index credentials_management on credentials (account_id, id) where kind = 'management';
create trigger credentials_insert_version after insert on credentials
referencing new table as changed for each statement execute function credentials_changed();
create trigger credentials_update_version after update on credentials
referencing new table as changed for each statement execute function credentials_changed();
create trigger credentials_delete_version after delete on credentials
referencing old table as changed for each statement execute function credentials_changed();
create trigger credentials_truncate_version after truncate on credentials for each statement execute function credentials_emptied();
create trigger credentials_retired_secret after update of secret_hash on credentials for each row
when (old.secret_hash <> new.secret_hash) execute function credentials_retired_secret();

-- The last twenty replaced secrets of each credential, so that they are recognised as expired or accepted for a while.
create table retired_secrets (
  secret_hash text collate "C" primary key,
  account_id text collate "C" not null,
  kind text collate "C" not null,
  credential_id text collate "C" not null,
  number bigint generated always as identity
);
create index retired_secrets_by_credential on retired_secrets (account_id, kind, credential_id, number);

-- Last uses have no directory triggers: they are written every second, and the directory would be reread as often.
create table key_use (
  account_id text collate "C" not null,
  key_id text collate "C" not null,
  last_used_at_ms double precision not null,
  primary key (account_id, key_id)
);

-- Ids of tokens may equal those of keys.
create table token_use (
  account_id text collate "C" not null,
  key_id text collate "C" not null,
  last_used_at_ms double precision not null,
  primary key (account_id, key_id)
);

-- Only declared facts. The catalogue supplies the rest; facts imported from public price lists come in between.
create table models (
  id text collate "C" primary key,
  category text,
  owned_by text,
  status text not null,
  pricing text,
  strategy text,
  tags text,
  created_at_ms double precision not null,
  origin text not null,
  status_stated smallint not null default 0,
  name text,
  description text,
  capabilities text,
  operations text,
  cache text
);
create trigger models_version after insert or update or delete or truncate on models
for each statement execute function shared_serving_changed();

-- Facts imported from public price lists.
create table synced_models (
  provider text collate "C" not null,
  id text collate "C" not null,
  facts text not null,
  source text not null,
  primary key (provider, id)
);
create trigger synced_models_version after insert or update or delete or truncate on synced_models
for each statement execute function shared_serving_changed();

create table channels (
  id text collate "C" primary key,
  name text not null,
  provider text not null,
  base_url text,
  sealed_api_key text,
  settings text not null,
  formats text,
  priority double precision not null,
  weight double precision not null,
  owner text collate "C" references accounts (id),
  timeouts text not null,
  models text not null,
  costs text not null,
  breaker text,
  enabled smallint not null,
  block_at_ms double precision,
  block_reason text,
  reset_at_ms double precision,
  origin text not null
);
create index channels_by_owner on channels (owner);
create trigger channels_insert_version after insert on channels
referencing new table as after_rows for each statement execute function channels_inserted();
create trigger channels_update_version after update on channels
referencing old table as before_rows new table as after_rows for each statement execute function channels_updated();
create trigger channels_delete_version after delete on channels
referencing old table as before_rows for each statement execute function channels_deleted();
create trigger channels_truncate_version after truncate on channels
for each statement execute function channels_emptied();

-- Written every second, so it has no directory triggers.
create table channel_health (
  channel_id text collate "C" not null references channels (id) on delete cascade,
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
  primary key (channel_id, upstream_model)
);
