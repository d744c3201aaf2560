-- Alert rules and targets, alert states, and the outbox of notifications. `owner` is an account, or empty for the
-- operators.

create table alert_rules (
  owner text not null,
  id text not null,
  name text not null,
  enabled integer not null,
  condition text not null,
  accounts text,
  targets text,
  repeat_ms integer,
  origin text not null,
  created_at_ms integer not null,
  updated_at_ms integer not null,
  primary key (owner, id)
) strict, without rowid;

-- `sealed` contains a target's address and secrets.
create table alert_targets (
  owner text not null,
  id text not null,
  kind text not null check (kind in ('webhook', 'mail')),
  name text not null,
  enabled integer not null,
  sealed text not null,
  failing_since_ms integer,
  disabled_at_ms integer,
  disabled_reason text,
  origin text not null,
  created_at_ms integer not null,
  updated_at_ms integer not null,
  primary key (owner, id)
) strict, without rowid;

create table alert_states (
  owner text not null,
  rule_id text not null,
  subject text not null,
  status text not null check (status in ('pending', 'raised')),
  since_ms integer not null,
  period_start_ms integer,
  told_at_ms integer not null,
  version integer not null,
  primary key (owner, rule_id, subject)
) strict, without rowid;

create table alert_events (
  sequence integer primary key autoincrement,
  id text not null unique,
  owner text not null,
  type text not null,
  rule_id text,
  at_ms integer not null,
  body text not null
) strict;
create index alert_events_by_owner on alert_events (owner, sequence);
create index alert_events_by_time on alert_events (at_ms);

create table alert_deliveries (
  sequence integer primary key autoincrement,
  id text not null unique,
  owner text not null,
  event_id text not null references alert_events (id) on delete cascade,
  target_id text not null,
  state text not null check (state in ('pending', 'delivered', 'failed')),
  attempts integer not null,
  claim integer not null,
  next_attempt_at_ms integer,
  last_status integer,
  last_error text,
  last_attempt_at_ms integer,
  last_duration_ms integer,
  created_at_ms integer not null
) strict;
create index alert_deliveries_by_owner on alert_deliveries (owner, sequence);
create index alert_deliveries_by_event on alert_deliveries (event_id);
create index alert_deliveries_due on alert_deliveries (next_attempt_at_ms) where state = 'pending';
create index alert_deliveries_waiting on alert_deliveries (owner, target_id) where state = 'pending';

create table alert_leader (
  one integer primary key check (one = 1),
  holder text not null,
  until_ms integer not null
) strict;
