/** Incomplete erasures of people, for SQLite. `names` is a JSON array. */
export const ERASURES_TABLE = `create table erasures (
  user_id text primary key,
  email text not null,
  names text not null,
  pseudonym text not null,
  audited_until integer not null,
  rewritten integer not null
) strict`;
