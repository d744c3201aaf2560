-- The operator's guards. Everything but the id is JSON in `definition`; `secrets` is sealed JSON, or null.
create table guards (
  id text collate "C" primary key,
  definition text not null,
  secrets text,
  created_at_ms double precision not null,
  origin text not null
);
create trigger guards_version after insert or update or delete or truncate on guards
for each statement execute function shared_serving_changed();

-- The ids of the guards that apply, as JSON; null for none.
alter table accounts add column guards text;
alter table credentials add column guards text;
alter table models add column guards text;
-- The verdicts of guards, as JSON; null for none.
alter table request_log add column guards text;
