/**
 * The tables of people and sign-in for SQLite. Those of the sign-in library (`users` and `sign_in_*`) have the columns and indexes that it
 * expects, so that it would change nothing; a test verifies that. It stores times as RFC 3339 text here.
 */
export const PEOPLE_TABLES: readonly string[] = [
  `create table users (
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
  ) strict`,
  `create table memberships (
    user_id text not null references users (id) on delete cascade,
    account_id text not null,
    role text not null check (role in ('owner', 'member', 'viewer')),
    created_at_ms integer not null,
    primary key (user_id, account_id)
  ) strict, without rowid`,
  'create index memberships_by_account on memberships (account_id, user_id)',
  `create table invitations (
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
  ) strict`,
  'create index invitations_by_account on invitations (account_id, row_id)',
  'create index invitations_by_user on invitations (user_id)',
  'create index invitations_by_expiry on invitations (expires_at_ms)',
  `create table sign_in_sessions (
    id text primary key,
    user_id text not null references users (id) on delete cascade,
    token text not null unique,
    second_factor integer not null default 0,
    ip_address text,
    user_agent text,
    expires_at text not null,
    created_at text not null,
    updated_at text not null
  ) strict`,
  'create index sign_in_sessions_user_id_idx on sign_in_sessions (user_id)',
  'create index sign_in_sessions_by_expiry on sign_in_sessions (expires_at)',
  `create table sign_in_credentials (
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
  ) strict`,
  'create index sign_in_credentials_user_id_idx on sign_in_credentials (user_id)',
  `create table sign_in_verifications (
    id text primary key,
    identifier text not null,
    value text not null,
    expires_at text not null,
    created_at text not null,
    updated_at text not null
  ) strict`,
  'create index sign_in_verifications_identifier_idx on sign_in_verifications (identifier)',
  'create index sign_in_verifications_by_expiry on sign_in_verifications (expires_at)',
  `create table sign_in_two_factors (
    id text primary key,
    user_id text not null references users (id) on delete cascade,
    secret text not null,
    backup_codes text not null,
    verified integer default 1,
    failed_verification_count integer default 0,
    locked_until text,
    last_used_step integer
  ) strict`,
  'create index sign_in_two_factors_secret_idx on sign_in_two_factors (secret)',
  'create index sign_in_two_factors_user_id_idx on sign_in_two_factors (user_id)',
  `create table sign_in_passkeys (
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
  ) strict`,
  'create index sign_in_passkeys_user_id_idx on sign_in_passkeys (user_id)',
  'create index sign_in_passkeys_credential_id_idx on sign_in_passkeys (credential_id)',
  `create table sign_in_attempts (
    key text primary key,
    count integer not null,
    window_ends_at_ms integer not null
  ) strict, without rowid`,
  'create index sign_in_attempts_by_end on sign_in_attempts (window_ends_at_ms)',
];

/** Added later: when a second factor was last used in a session. */
export const SECOND_FACTOR_TIME = 'alter table sign_in_sessions add column second_factor_at_ms integer';
