-- Alert rules and targets, alert states, and the outbox of notifications. `owner` is an account, or empty for the
-- operators.

create table alert_rules (
  owner text collate "C" not null,
  id text collate "C" not null,
  name text not null,
  enabled boolean not null,
  condition text not null,
  accounts text,
  targets text,
  repeat_ms bigint,
  origin text not null,
  created_at_ms bigint not null,
  updated_at_ms bigint not null,
  primary key (owner, id)
);

-- `sealed` contains a target's address and secrets.
create table alert_targets (
  owner text collate "C" not null,
  id text collate "C" not null,
  kind text not null check (kind in ('webhook', 'mail')),
  name text not null,
  enabled boolean not null,
  sealed text not null,
  failing_since_ms bigint,
  disabled_at_ms bigint,
  disabled_reason text,
  origin text not null,
  created_at_ms bigint not null,
  updated_at_ms bigint not null,
  primary key (owner, id)
);

create table alert_states (
  owner text collate "C" not null,
  rule_id text collate "C" not null,
  subject text collate "C" not null,
  status text not null check (status in ('pending', 'raised')),
  since_ms bigint not null,
  period_start_ms bigint,
  told_at_ms bigint not null,
  version integer not null,
  primary key (owner, rule_id, subject)
);

create table alert_events (
  sequence bigint generated always as identity primary key,
  id text collate "C" not null unique,
  owner text collate "C" not null,
  type text collate "C" not null,
  rule_id text collate "C",
  at_ms bigint not null,
  body text not null
);
create index alert_events_by_owner on alert_events (owner, sequence);
create index alert_events_by_time on alert_events (at_ms);

create table alert_deliveries (
  sequence bigint generated always as identity primary key,
  id text collate "C" not null unique,
  owner text collate "C" not null,
  event_id text collate "C" not null references alert_events (id) on delete cascade,
  target_id text collate "C" not null,
  state text collate "C" not null check (state in ('pending', 'delivered', 'failed')),
  attempts integer not null,
  claim integer not null,
  next_attempt_at_ms bigint,
  last_status integer,
  last_error text,
  last_attempt_at_ms bigint,
  last_duration_ms bigint,
  created_at_ms bigint not null
);
create index alert_deliveries_by_owner on alert_deliveries (owner, sequence);
create index alert_deliveries_by_event on alert_deliveries (event_id);
create index alert_deliveries_due on alert_deliveries (next_attempt_at_ms) where state = 'pending';
create index alert_deliveries_waiting on alert_deliveries (owner, target_id) where state = 'pending';

create table alert_leader (
  one integer primary key check (one = 1),
  holder text not null,
  until_ms bigint not null
);
