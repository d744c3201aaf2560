-- People, sign-in and the audit log. The tables of the sign-in library (`users` and `sign_in_*`) have the columns and
-- indexes that it expects, so that it would change nothing; a test verifies that.

create table users (
  id text collate "C" primary key,
  name text not null,
  email text collate "C" not null unique,
  email_verified boolean not null default false,
  image text,
  two_factor_enabled boolean default false,
  operator boolean not null default false,
  disabled_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create table memberships (
  user_id text collate "C" not null references users (id) on delete cascade,
  account_id text collate "C" not null,
  role text not null check (role in ('owner', 'member', 'viewer')),
  created_at_ms bigint not null,
  primary key (user_id, account_id)
);
create index memberships_by_account on memberships (account_id, user_id);

create table invitations (
  row_id bigint generated always as identity primary key,
  id text collate "C" not null unique,
  token_hash text collate "C" not null unique,
  purpose text collate "C" not null check (purpose in ('join', 'first_operator', 'registration', 'reset')),
  email text collate "C",
  proves_email boolean not null,
  account_id text collate "C",
  role text check (role in ('owner', 'member', 'viewer')),
  operator boolean not null,
  user_id text collate "C" references users (id) on delete cascade,
  created_by text collate "C" not null,
  created_at_ms bigint not null,
  expires_at_ms bigint not null,
  used_at_ms bigint,
  used_by text collate "C",
  revoked_at_ms bigint
);
create index invitations_by_account on invitations (account_id, row_id);
create index invitations_by_user on invitations (user_id);
create index invitations_by_expiry on invitations (expires_at_ms);

-- `second_factor_at_ms` is when a second factor was last used in the session.
create table sign_in_sessions (
  id text collate "C" primary key,
  user_id text collate "C" not null references users (id) on delete cascade,
  token text collate "C" not null unique,
  second_factor boolean not null default false,
  ip_address text,
  user_agent text,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  second_factor_at_ms bigint
);
create index sign_in_sessions_user_id_idx on sign_in_sessions (user_id);
create index sign_in_sessions_by_expiry on sign_in_sessions (expires_at);

create table sign_in_credentials (
  id text collate "C" primary key,
  user_id text collate "C" not null references users (id) on delete cascade,
  provider_id text collate "C" not null,
  account_id text collate "C" not null,
  password text,
  access_token text,
  refresh_token text,
  id_token text,
  access_token_expires_at timestamptz,
  refresh_token_expires_at timestamptz,
  scope text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (provider_id, account_id)
);
create index sign_in_credentials_user_id_idx on sign_in_credentials (user_id);

create table sign_in_verifications (
  id text collate "C" primary key,
  identifier text collate "C" not null,
  value text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index sign_in_verifications_identifier_idx on sign_in_verifications (identifier);
create index sign_in_verifications_by_expiry on sign_in_verifications (expires_at);

create table sign_in_two_factors (
  id text collate "C" primary key,
  user_id text collate "C" not null references users (id) on delete cascade,
  secret text collate "C" not null,
  backup_codes text not null,
  verified boolean default true,
  failed_verification_count integer default 0,
  locked_until timestamptz,
  last_used_step bigint
);
create index sign_in_two_factors_secret_idx on sign_in_two_factors (secret);
create index sign_in_two_factors_user_id_idx on sign_in_two_factors (user_id);

create table sign_in_passkeys (
  id text collate "C" primary key,
  user_id text collate "C" not null references users (id) on delete cascade,
  name text,
  public_key text not null,
  credential_id text collate "C" not null,
  counter integer not null,
  device_type text not null,
  backed_up boolean not null,
  transports text,
  aaguid text,
  created_at timestamptz
);
create index sign_in_passkeys_user_id_idx on sign_in_passkeys (user_id);
create index sign_in_passkeys_credential_id_idx on sign_in_passkeys (credential_id);

create table sign_in_attempts (
  key text collate "C" primary key,
  count integer not null,
  window_ends_at_ms bigint not null
);
create index sign_in_attempts_by_end on sign_in_attempts (window_ends_at_ms);

-- Append-only. A transaction that sets `switchyard.audit_before_ms` may delete entries before that time. One that sets
-- `switchyard.audit_pseudonym` may replace a person in entries, and the notes of ledger entries, by that pseudonym.
create table audit_log (
  sequence bigint generated always as identity primary key,
  at_ms bigint not null,
  actor_kind text not null,
  actor_id text collate "C",
  actor_name text not null,
  address text,
  request_id text,
  action text collate "C" not null,
  account_id text collate "C",
  object_id text collate "C" not null,
  "before" text,
  "after" text
);
create index audit_log_by_account on audit_log (account_id, sequence);
create index audit_log_by_object on audit_log (object_id, sequence);
create index audit_log_by_actor on audit_log (actor_id, sequence) where actor_id is not null;
create index audit_log_by_action on audit_log (action, sequence);
create index audit_log_by_kind on audit_log ((split_part(action, '.', 1)), sequence);
create trigger audit_log_kept before truncate on audit_log
for each statement execute function audit_refuse_change();
create trigger audit_log_undeleted before delete on audit_log
for each row execute function audit_refuse_deletion();
create trigger audit_log_unchanged before update on audit_log
for each row execute function audit_refuse_rewriting();

-- The outcomes of idempotent requests to the management API.
create table idempotent_requests (
  scope text collate "C" not null,
  key text collate "C" not null,
  fingerprint text not null,
  at_ms bigint not null,
  sealed_answer bytea,
  primary key (scope, key)
);
create index idempotent_requests_by_time on idempotent_requests (at_ms);

-- Incomplete erasures of people. `names` is a JSON array.
create table erasures (
  user_id text collate "C" primary key,
  email text not null,
  names text not null,
  pseudonym text not null,
  audited_until bigint not null,
  rewritten bigint not null
);

-- Incomplete account erasures. `names` is a JSON array.
create table account_erasures (
  account_id text collate "C" primary key,
  names text not null,
  pseudonym text not null,
  audited_until bigint not null,
  rewritten bigint not null
);
