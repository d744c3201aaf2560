-- People, sign-in and the audit log. The tables of the sign-in library (`users` and `sign_in_*`) have the columns and
-- indexes that it expects, so that it would change nothing; a test verifies that. It stores times as RFC 3339 text
-- here.

create table users (
  id text primary key,
  name text not null,
  email text not null unique,
  email_verified integer not null default 0,
  image text,
  two_factor_enabled integer default 0,
  operator integer not null default 0,
  disabled_at text,
  created_at text not null,
  updated_at text not null
) strict;

create table memberships (
  user_id text not null references users (id) on delete cascade,
  account_id text not null,
  role text not null check (role in ('owner', 'member', 'viewer')),
  created_at_ms integer not null,
  primary key (user_id, account_id)
) strict, without rowid;
create index memberships_by_account on memberships (account_id, user_id);

create table invitations (
  row_id integer primary key autoincrement,
  id text not null unique,
  token_hash text not null unique,
  purpose text not null check (purpose in ('join', 'first_operator', 'registration', 'reset')),
  email text,
  proves_email integer not null,
  account_id text,
  role text check (role in ('owner', 'member', 'viewer')),
  operator integer not null,
  user_id text references users (id) on delete cascade,
  created_by text not null,
  created_at_ms integer not null,
  expires_at_ms integer not null,
  used_at_ms integer,
  used_by text,
  revoked_at_ms integer
) strict;
create index invitations_by_account on invitations (account_id, row_id);
create index invitations_by_user on invitations (user_id);
create index invitations_by_expiry on invitations (expires_at_ms);

-- `second_factor_at_ms` is when a second factor was last used in the session.
create table sign_in_sessions (
  id text primary key,
  user_id text not null references users (id) on delete cascade,
  token text not null unique,
  second_factor integer not null default 0,
  ip_address text,
  user_agent text,
  expires_at text not null,
  created_at text not null,
  updated_at text not null,
  second_factor_at_ms integer
) strict;
create index sign_in_sessions_user_id_idx on sign_in_sessions (user_id);
create index sign_in_sessions_by_expiry on sign_in_sessions (expires_at);

create table sign_in_credentials (
  id text primary key,
  user_id text not null references users (id) on delete cascade,
  provider_id text not null,
  account_id text not null,
  password text,
  access_token text,
  refresh_token text,
  id_token text,
  access_token_expires_at text,
  refresh_token_expires_at text,
  scope text,
  created_at text not null,
  updated_at text not null,
  unique (provider_id, account_id)
) strict;
create index sign_in_credentials_user_id_idx on sign_in_credentials (user_id);

create table sign_in_verifications (
  id text primary key,
  identifier text not null,
  value text not null,
  expires_at text not null,
  created_at text not null,
  updated_at text not null
) strict;
create index sign_in_verifications_identifier_idx on sign_in_verifications (identifier);
create index sign_in_verifications_by_expiry on sign_in_verifications (expires_at);

create table sign_in_two_factors (
  id text primary key,
  user_id text not null references users (id) on delete cascade,
  secret text not null,
  backup_codes text not null,
  verified integer default 1,
  failed_verification_count integer default 0,
  locked_until text,
  last_used_step integer
) strict;
create index sign_in_two_factors_secret_idx on sign_in_two_factors (secret);
create index sign_in_two_factors_user_id_idx on sign_in_two_factors (user_id);

create table sign_in_passkeys (
  id text primary key,
  user_id text not null references users (id) on delete cascade,
  name text,
  public_key text not null,
  credential_id text not null,
  counter integer not null,
  device_type text not null,
  backed_up integer not null,
  transports text,
  aaguid text,
  created_at text
) strict;
create index sign_in_passkeys_user_id_idx on sign_in_passkeys (user_id);
create index sign_in_passkeys_credential_id_idx on sign_in_passkeys (credential_id);

create table sign_in_attempts (
  key text primary key,
  count integer not null,
  window_ends_at_ms integer not null
) strict, without rowid;
create index sign_in_attempts_by_end on sign_in_attempts (window_ends_at_ms);

-- Append-only. Entries before `audit_horizon.before_ms` may be deleted; the retention job sets it for the duration of a
-- transaction. While a transaction has a pseudonym in `audit_erasure`, it may replace a person in entries, and the
-- notes of ledger entries, by that pseudonym.
create table audit_log (
  sequence integer primary key autoincrement,
  at_ms integer not null,
  actor_kind text not null,
  actor_id text,
  actor_name text not null,
  address text,
  request_id text,
  action text not null,
  account_id text,
  object_id text not null,
  "before" text,
  "after" text
) strict;
create index audit_log_by_account on audit_log (account_id, sequence);
create index audit_log_by_object on audit_log (object_id, sequence);
create index audit_log_by_actor on audit_log (actor_id, sequence) where actor_id is not null;
create index audit_log_by_action on audit_log (action, sequence);
create index audit_log_by_kind on audit_log ((substr(action, 1, instr(action, '.') - 1)), sequence);
create trigger audit_log_no_delete before delete on audit_log
when old.at_ms >= (select before_ms from audit_horizon)
begin select raise(abort, 'the audit log is append-only'); end;
create trigger audit_log_no_update before update on audit_log
when not exists (
  select 1 from audit_erasure door where door.pseudonym like 'erased-________'
      and new.sequence is old.sequence
      and new.at_ms is old.at_ms
      and new.actor_kind is old.actor_kind
      and new.request_id is old.request_id
      and new.action is old.action
      and new.account_id is old.account_id
      and (new.actor_id is old.actor_id or (old.actor_id is not null and instr(new.actor_id, door.pseudonym) > 0))
      and (new.actor_name is old.actor_name or (old.actor_name is not null and instr(new.actor_name, door.pseudonym) > 0))
      and (new.address is old.address or (old.address is not null and instr(new.address, door.pseudonym) > 0))
      and (new.object_id is old.object_id or (old.object_id is not null and instr(new.object_id, door.pseudonym) > 0))
      and (new."before" is old."before" or (old."before" is not null and instr(new."before", door.pseudonym) > 0))
      and (new."after" is old."after" or (old."after" is not null and instr(new."after", door.pseudonym) > 0))
)
begin select raise(abort, 'the audit log is append-only'); end;

create table audit_horizon (one integer primary key check (one = 1), before_ms integer not null) strict;
insert into audit_horizon (one, before_ms) values (1, 0);

create table audit_erasure (one integer primary key check (one = 1), pseudonym text not null) strict;
insert into audit_erasure (one, pseudonym) values (1, '');

-- The outcomes of idempotent requests to the management API.
create table idempotent_requests (
  scope text not null,
  key text not null,
  fingerprint text not null,
  at_ms integer not null,
  sealed_answer blob,
  primary key (scope, key)
) strict, without rowid;
create index idempotent_requests_by_time on idempotent_requests (at_ms);

-- Incomplete erasures of people. `names` is a JSON array.
create table erasures (
  user_id text primary key,
  email text not null,
  names text not null,
  pseudonym text not null,
  audited_until integer not null,
  rewritten integer not null
) strict;

-- Incomplete account erasures. `names` is a JSON array.
create table account_erasures (
  account_id text primary key,
  names text not null,
  pseudonym text not null,
  audited_until integer not null,
  rewritten integer not null
) strict;
