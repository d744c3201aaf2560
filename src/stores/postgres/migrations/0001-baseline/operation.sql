-- The gateways of the store and their settings.

create table settings (section text not null primary key, words text not null);

-- One row: a known text sealed with the master secret that all gateways must have.
create table secret_check (sealed text not null);
create unique index on secret_check ((true));

-- The gateway processes of this store, each with the directory versions it has loaded. `media_place` reveals nodes
-- without a common media location.
create table gateway_nodes (
  id text collate "C" primary key,
  host_name text not null,
  process_id double precision not null,
  version text not null,
  access_version double precision not null,
  serving_version double precision not null,
  started_at_ms double precision not null,
  last_seen_at_ms double precision not null,
  media_place text
);

-- One row that is rewritten periodically to check that the database is writable.
create table write_probe (
  id smallint primary key check (id = 1),
  at_ms bigint not null
) with (fillfactor = 10);

-- The node that deletes old data.
create table retention_leader (
  one integer primary key check (one = 1),
  holder text not null,
  until_ms bigint not null
);
