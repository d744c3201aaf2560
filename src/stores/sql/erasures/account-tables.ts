/** Erasures of accounts that are not complete, as SQLite has them. `names` is a JSON list. */
export const ACCOUNT_ERASURES_TABLE = `create table account_erasures (
  account_id text primary key,
  names text not null,
  pseudonym text not null,
  audited_until integer not null,
  rewritten integer not null
) strict`;
