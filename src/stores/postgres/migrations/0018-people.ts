import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Users, memberships, one-time links, and the tables of the sign-in library. */
export const peopleMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of TABLES) await sql.raw(statement).execute(db);
  },
};

const TABLES: readonly string[] = [
  `create table users (
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
  )`,
  `create table memberships (
    user_id text collate "C" not null references users (id) on delete cascade,
    account_id text collate "C" not null,
    role text not null check (role in ('owner', 'member', 'viewer')),
    created_at_ms bigint not null,
    primary key (user_id, account_id)
  )`,
  'create index memberships_by_account on memberships (account_id, user_id)',
  `create table invitations (
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
  )`,
  'create index invitations_by_account on invitations (account_id, row_id)',
  'create index invitations_by_user on invitations (user_id)',
  'create index invitations_by_expiry on invitations (expires_at_ms)',
  `create table sign_in_sessions (
    id text collate "C" primary key,
    user_id text collate "C" not null references users (id) on delete cascade,
    token text collate "C" not null unique,
    second_factor boolean not null default false,
    ip_address text,
    user_agent text,
    expires_at timestamptz not null,
    created_at timestamptz not null,
    updated_at timestamptz not null
  )`,
  'create index sign_in_sessions_user_id_idx on sign_in_sessions (user_id)',
  'create index sign_in_sessions_by_expiry on sign_in_sessions (expires_at)',
  `create table sign_in_credentials (
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
  )`,
  'create index sign_in_credentials_user_id_idx on sign_in_credentials (user_id)',
  `create table sign_in_verifications (
    id text collate "C" primary key,
    identifier text collate "C" not null,
    value text not null,
    expires_at timestamptz not null,
    created_at timestamptz not null,
    updated_at timestamptz not null
  )`,
  'create index sign_in_verifications_identifier_idx on sign_in_verifications (identifier)',
  'create index sign_in_verifications_by_expiry on sign_in_verifications (expires_at)',
  `create table sign_in_two_factors (
    id text collate "C" primary key,
    user_id text collate "C" not null references users (id) on delete cascade,
    secret text collate "C" not null,
    backup_codes text not null,
    verified boolean default true,
    failed_verification_count integer default 0,
    locked_until timestamptz,
    last_used_step bigint
  )`,
  'create index sign_in_two_factors_secret_idx on sign_in_two_factors (secret)',
  'create index sign_in_two_factors_user_id_idx on sign_in_two_factors (user_id)',
  `create table sign_in_passkeys (
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
  )`,
  'create index sign_in_passkeys_user_id_idx on sign_in_passkeys (user_id)',
  'create index sign_in_passkeys_credential_id_idx on sign_in_passkeys (credential_id)',
  `create table sign_in_attempts (
    key text collate "C" primary key,
    count integer not null,
    window_ends_at_ms bigint not null
  )`,
  'create index sign_in_attempts_by_end on sign_in_attempts (window_ends_at_ms)',
];
