-- The details of an account on statements, the creator of a key, and the last activity of people.
alter table accounts add column billing_details text;

-- `user:<user id>`, `token:<account>/<token>`, or the kind of another actor. NULL for keys of earlier versions.
alter table credentials add column created_by text;

-- Outlives sessions. Written at most every few minutes for each user.
create table user_activity (
  user_id text collate "C" primary key references users (id) on delete cascade,
  last_active_at_ms bigint not null
);
create index user_activity_by_time on user_activity (last_active_at_ms);
