/** Incomplete account erasures, for SQLite. `names` is a JSON array. */
export const ACCOUNT_ERASURES_TABLE = `create table account_erasures (
  account_id text primary key,
  names text not null,
  pseudonym text not null,
  audited_until integer not null,
  rewritten integer not null
) strict`;
