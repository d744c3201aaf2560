import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Everything but the ledger. The rows equal those of SQLite, so that both databases share code: JSON is text, and times, which may have
 * fractions, are double precision. Ids are collated by bytes, so that they sort the same everywhere, whatever the database's locale.
 */
export const storeMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const tables = [...DIRECTORY, ...directoryVersion(), ...REQUEST_LOG, ...RESPONSES, ...LEARNED, ...SECRET_CHECK];
    for (const statement of tables) await sql.raw(statement).execute(db);
  },
};

const DIRECTORY = [
  `create table accounts (
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
    origin text not null
  )`,
  `create table credentials (
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
    primary key (account_id, kind, id)
  )`,
  `create table models (
    id text collate "C" primary key,
    category text not null,
    owned_by text not null,
    status text not null,
    pricing text,
    strategy text,
    tags text not null,
    created_at_ms double precision not null,
    origin text not null
  )`,
  `create table channels (
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
  )`,
];

/**
 * Triggers count every change of the directory, including manual edits. A change locks the row until its commit, so changes are serialised,
 * and a reader of the number has seen every change counted before.
 */
function directoryVersion(): string[] {
  return [
    'create table directory_version (version bigint not null)',
    'insert into directory_version (version) values (0)',
    `create function count_directory_version() returns trigger language plpgsql as $$
      begin
        update directory_version set version = version + 1;
        return null;
      end
    $$`,
    ...['accounts', 'credentials', 'models', 'channels'].map(
      (table) => `create trigger ${table}_version after insert or update or delete or truncate on ${table}
        for each statement execute function count_directory_version()`,
    ),
  ];
}

/**
 * The only index is by time, since each further one would touch other pages for every row. No NOT NULL, and types that accept any text and
 * number: a row that the database rejects would block all rows behind it.
 */
const REQUEST_LOG = [
  `create table request_log (
    id bigint generated always as identity primary key,
    request_id text,
    at_ms double precision,
    account_id text,
    key_id text,
    format text,
    model_id text,
    channel_id text,
    provider text,
    upstream_model text,
    stream smallint,
    status double precision,
    error_code text,
    failure_kind text,
    client_gone smallint,
    retry_count double precision,
    latency_ms double precision,
    first_byte_ms double precision,
    input_tokens double precision,
    cached_input_tokens double precision,
    cache_write_tokens double precision,
    output_tokens double precision,
    reasoning_tokens double precision,
    usage_source text,
    upstream_request_id text,
    failed_attempts text,
    cost_nano numeric
  )`,
  'create index request_log_by_time on request_log (at_ms)',
];

/** An id is unique within its account only: an account's own upstream may choose it, and must learn nothing about other accounts. */
const RESPONSES = [
  `create table responses (
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
  )`,
  'create index responses_by_expiry on responses (expires_at_ms)',
];

/** Has no directory triggers: it is written every second, and the directory would be reread as often. */
const LEARNED = [
  `create table channel_health (
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
  )`,
  `create table key_use (
    account_id text collate "C" not null,
    key_id text collate "C" not null,
    last_used_at_ms double precision not null,
    primary key (account_id, key_id)
  )`,
];

/** One row: a known text sealed with the master secret that all nodes must have. */
const SECRET_CHECK = [
  'create table secret_check (sealed text not null)',
  'create unique index on secret_check ((true))',
];
