-- The directory: accounts, keys and tokens, models, channels and their versions.

-- Triggers count every change of the directory, including manual edits. (`PRAGMA data_version` also changes with every
-- flush of the request log.) `version` counts what serves requests, `access_version` accounts and credentials.
create table directory_version (version integer not null, access_version integer not null default 0) strict;
insert into directory_version (version) values (0);

-- The version of each account's latest change, so that a gateway evicts changed accounts instead of rereading hundreds
-- of thousands of keys.
create table account_changes (
  account_id text primary key not null,
  version integer not null
) strict, without rowid;
create index account_changes_by_version on account_changes (version);

-- The owners of changed channels, models and price lists, so that a gateway rereads only those. The empty owner stands
-- for shared rows: models, price lists and PLATFORM channels.
create table serving_changes (
  owner text primary key not null,
  version integer not null
) strict, without rowid;
create index serving_changes_by_version on serving_changes (version);

-- `quotas` has the object quotas that differ from the default.
create table accounts (
  id text not null primary key,
  name text not null,
  role text not null,
  admin integer not null,
  billing text not null,
  requests_per_minute integer,
  created_at_ms integer not null,
  origin text not null,
  strategy text,
  tokens_per_minute integer,
  max_concurrent integer,
  archived_at_ms integer,
  cache text,
  budget_nano_usd text,
  budget_per text,
  budget_time_zone text,
  capture text not null default 'none',
  quotas text
) strict;
create index accounts_by_origin on accounts (origin);
create trigger accounts_insert_version after insert on accounts begin
  update directory_version set access_version = access_version + 1;
  insert into account_changes (account_id, version)
    select new.id, access_version from directory_version where true
    on conflict (account_id) do update set version = excluded.version;
end;
create trigger accounts_update_version after update on accounts begin
  update directory_version set access_version = access_version + 1;
  insert into account_changes (account_id, version)
    select new.id, access_version from directory_version where true
    on conflict (account_id) do update set version = excluded.version;
end;
create trigger accounts_delete_version after delete on accounts begin
  update directory_version set access_version = access_version + 1;
  insert into account_changes (account_id, version)
    select old.id, access_version from directory_version where true
    on conflict (account_id) do update set version = excluded.version;
end;

-- `kind` is `inference` for keys and `management` for tokens. A token without `scopes` may do everything.
create table credentials (
  account_id text not null references accounts (id),
  kind text not null,
  id text not null,
  name text not null,
  secret_hash text not null,
  preview text not null,
  limit_nano_usd text,
  models text,
  created_at_ms integer not null,
  revoked_at_ms integer,
  origin text not null,
  requests_per_minute integer,
  expires_at_ms integer,
  budget_nano_usd text,
  budget_per text,
  budget_time_zone text,
  scopes text,
  previous_secret_hash text,
  previous_secret_ends_at_ms integer,
  primary key (account_id, kind, id)
) strict;
create index credentials_by_secret_hash on credentials (secret_hash);
create index credentials_by_id on credentials (id);
create index credentials_by_preview on credentials (preview);
create index credentials_by_origin on credentials (origin);
create index credentials_usable on credentials (account_id) where kind = 'inference' and revoked_at_ms is null;
create index credentials_management on credentials (account_id, id) where kind = 'management';
create trigger credentials_insert_version after insert on credentials begin
  update directory_version set access_version = access_version + 1;
  insert into account_changes (account_id, version)
    select new.account_id, access_version from directory_version where true
    on conflict (account_id) do update set version = excluded.version;
end;
create trigger credentials_update_version after update on credentials begin
  update directory_version set access_version = access_version + 1;
  insert into account_changes (account_id, version)
    select new.account_id, access_version from directory_version where true
    on conflict (account_id) do update set version = excluded.version;
end;
create trigger credentials_delete_version after delete on credentials begin
  update directory_version set access_version = access_version + 1;
  insert into account_changes (account_id, version)
    select old.account_id, access_version from directory_version where true
    on conflict (account_id) do update set version = excluded.version;
end;
create trigger credentials_retired_secret after update of secret_hash on credentials
when old.secret_hash <> new.secret_hash begin
  insert into retired_secrets (secret_hash, account_id, kind, credential_id, number)
    select old.secret_hash, old.account_id, old.kind, old.id, coalesce(max(number), 0) + 1 from retired_secrets
    where account_id = old.account_id and kind = old.kind and credential_id = old.id
    on conflict (secret_hash) do update set
      account_id = excluded.account_id, kind = excluded.kind,
      credential_id = excluded.credential_id, number = excluded.number;
  delete from retired_secrets
    where account_id = old.account_id and kind = old.kind and credential_id = old.id and number <= (
      select max(number) - 20 from retired_secrets
      where account_id = old.account_id and kind = old.kind and credential_id = old.id
    );
end;

-- The last twenty replaced secrets of each credential, so that they are recognised as expired or accepted for a while.
create table retired_secrets (
  secret_hash text primary key not null,
  account_id text not null,
  kind text not null,
  credential_id text not null,
  number integer not null
) strict, without rowid;
create index retired_secrets_by_credential on retired_secrets (account_id, kind, credential_id, number);

-- Last uses have no directory triggers: they are written every second, and the directory would be reread as often.
create table key_use (
  account_id text not null,
  key_id text not null,
  last_used_at_ms integer not null,
  primary key (account_id, key_id)
) strict, without rowid;

-- Ids of tokens may equal those of keys.
create table token_use (
  account_id text not null,
  key_id text not null,
  last_used_at_ms integer not null,
  primary key (account_id, key_id)
) strict, without rowid;

-- Only declared facts. The catalogue supplies the rest; facts imported from public price lists come in between.
create table models (
  id text primary key not null,
  name text,
  description text,
  category text,
  owned_by text,
  status text not null,
  status_stated integer not null default 0,
  pricing text,
  strategy text,
  tags text,
  capabilities text,
  operations text,
  created_at_ms integer not null,
  origin text not null,
  cache text
) strict;
create trigger models_insert_version after insert on models begin
  update directory_version set version = version + 1;
  insert into serving_changes (owner, version)
    select '', version from directory_version where true
    on conflict (owner) do update set version = excluded.version;
end;
create trigger models_update_version after update on models begin
  update directory_version set version = version + 1;
  insert into serving_changes (owner, version)
    select '', version from directory_version where true
    on conflict (owner) do update set version = excluded.version;
  insert into serving_changes (owner, version)
    select '', version from directory_version where true
    on conflict (owner) do update set version = excluded.version;
end;
create trigger models_delete_version after delete on models begin
  update directory_version set version = version + 1;
  insert into serving_changes (owner, version)
    select '', version from directory_version where true
    on conflict (owner) do update set version = excluded.version;
end;

-- Facts imported from public price lists.
create table synced_models (
  provider text not null,
  id text not null,
  facts text not null,
  source text not null,
  primary key (provider, id)
) strict, without rowid;
create trigger synced_models_insert_version after insert on synced_models begin
  update directory_version set version = version + 1;
  insert into serving_changes (owner, version)
    select '', version from directory_version where true
    on conflict (owner) do update set version = excluded.version;
end;
create trigger synced_models_update_version after update on synced_models begin
  update directory_version set version = version + 1;
  insert into serving_changes (owner, version)
    select '', version from directory_version where true
    on conflict (owner) do update set version = excluded.version;
  insert into serving_changes (owner, version)
    select '', version from directory_version where true
    on conflict (owner) do update set version = excluded.version;
end;
create trigger synced_models_delete_version after delete on synced_models begin
  update directory_version set version = version + 1;
  insert into serving_changes (owner, version)
    select '', version from directory_version where true
    on conflict (owner) do update set version = excluded.version;
end;

create table channels (
  id text not null primary key,
  name text not null,
  provider text not null,
  base_url text,
  sealed_api_key text,
  settings text not null,
  formats text,
  priority integer not null,
  weight real not null,
  owner text references accounts (id),
  timeouts text not null,
  models text not null,
  enabled integer not null,
  origin text not null,
  costs text not null default '{}',
  breaker text,
  block_at_ms integer,
  block_reason text,
  reset_at_ms integer
) strict;
create index channels_by_owner on channels (owner);
create trigger channels_insert_version after insert on channels begin
  update directory_version set version = version + 1;
  insert into serving_changes (owner, version)
    select coalesce(new.owner, ''), version from directory_version where true
    on conflict (owner) do update set version = excluded.version;
end;
create trigger channels_update_version after update on channels begin
  update directory_version set version = version + 1;
  insert into serving_changes (owner, version)
    select coalesce(old.owner, ''), version from directory_version where true
    on conflict (owner) do update set version = excluded.version;
  insert into serving_changes (owner, version)
    select coalesce(new.owner, ''), version from directory_version where true
    on conflict (owner) do update set version = excluded.version;
end;
create trigger channels_delete_version after delete on channels begin
  update directory_version set version = version + 1;
  insert into serving_changes (owner, version)
    select coalesce(old.owner, ''), version from directory_version where true
    on conflict (owner) do update set version = excluded.version;
end;

-- Written every second, so it has no directory triggers. Times are REAL, since they have fractions of milliseconds,
-- which INTEGER rejects.
create table channel_health (
  channel_id text not null references channels (id) on delete cascade,
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
  primary key (channel_id, upstream_model)
) strict, without rowid;
