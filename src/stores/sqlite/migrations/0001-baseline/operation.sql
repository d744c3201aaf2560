-- The gateways of the store and their settings.

create table settings (section text not null primary key, words text not null) strict, without rowid;

-- One row: a known text sealed with the master secret that all gateways must have.
create table secret_check (
  sealed text not null,
  one integer not null default 1 unique check (one = 1)
) strict;

-- The gateway processes of this store, each with the directory versions it has loaded. `media_place` reveals nodes
-- without a common media location.
create table gateway_nodes (
  id text primary key not null,
  host_name text not null,
  process_id integer not null,
  version text not null,
  access_version integer not null,
  serving_version integer not null,
  started_at_ms integer not null,
  last_seen_at_ms integer not null,
  media_place text
) strict, without rowid;

-- One row that is rewritten periodically to check that the database is writable.
create table write_probe (id integer primary key check (id = 1), at_ms integer not null) strict;
