-- The operator's guards. Everything but the id is JSON in `definition`; `secrets` is sealed JSON, or null.
create table guards (
  id text primary key not null,
  definition text not null,
  secrets text,
  created_at_ms integer not null,
  origin text not null
) strict, without rowid;
create trigger guards_insert_version after insert on guards begin
  update directory_version set version = version + 1;
  insert into serving_changes (owner, version)
    select '', version from directory_version where true
    on conflict (owner) do update set version = excluded.version;
end;
create trigger guards_update_version after update on guards begin
  update directory_version set version = version + 1;
  insert into serving_changes (owner, version)
    select '', version from directory_version where true
    on conflict (owner) do update set version = excluded.version;
end;
create trigger guards_delete_version after delete on guards begin
  update directory_version set version = version + 1;
  insert into serving_changes (owner, version)
    select '', version from directory_version where true
    on conflict (owner) do update set version = excluded.version;
end;
-- The ids of the guards that apply, as JSON; null for none.
alter table accounts add column guards text;
alter table credentials add column guards text;
alter table models add column guards text;
-- The verdicts of guards, as JSON; null for none.
alter table request_log add column guards text;
