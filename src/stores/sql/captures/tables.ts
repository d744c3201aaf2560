/** The capture tables for SQLite. Large bodies are stored on overflow pages, so columns are in the order in which they are read. */
export const CAPTURE_TABLES: readonly string[] = [
  `create table captures (
    request_id text not null primary key,
    account_id text not null,
    at_ms integer not null,
    bytes integer not null,
    facts text not null,
    request blob not null,
    answer blob not null
  ) strict`,
  'create index captures_by_account on captures (account_id, at_ms)',
  'create index captures_by_time on captures (at_ms)',
  `create table capture_sums (
    account_id text not null primary key,
    bytes integer not null
  ) strict`,
];
