-- The ledger. Amounts are integers in nano-USD (1e-9). No foreign keys to accounts: an entry must never fail for a
-- missing account, and accounts are never deleted.

-- A charge counts in the budget periods of `counted_at_ms`, when its money was reserved, or of `at_ms` if that is NULL.
-- Entries other than charges are few. The triggers prevent mistakes and manual edits. They are no protection against
-- deliberate falsification, since they can be dropped.
create table ledger_entries (
  sequence integer primary key,
  idempotency_key text not null unique,
  account_id text not null,
  key_id text,
  kind text not null check (kind in ('grant', 'charge', 'refund', 'adjustment')),
  amount_nano integer not null,
  request_id text,
  at_ms integer not null,
  note text,
  counted_at_ms integer
) strict;
create index ledger_entries_by_account on ledger_entries (account_id, at_ms);
create index ledger_entries_but_charges on ledger_entries (account_id, at_ms) where kind <> 'charge';
create trigger ledger_entries_no_update before update on ledger_entries
when not exists (
  select 1 from audit_erasure door
  where door.pseudonym like 'erased-________'
      and old.note is not null
      and new.note is door.pseudonym
      and new.sequence is old.sequence
      and new.idempotency_key is old.idempotency_key
      and new.account_id is old.account_id
      and new.key_id is old.key_id
      and new.kind is old.kind
      and new.amount_nano is old.amount_nano
      and new.request_id is old.request_id
      and new.at_ms is old.at_ms
      and new.counted_at_ms is old.counted_at_ms
)
begin select raise(abort, 'the ledger is append-only'); end;
create trigger ledger_entries_no_delete before delete on ledger_entries
when old.kind <> 'charge' or old.at_ms >= (select before_ms from ledger_door)
begin select raise(abort, 'the ledger is append-only'); end;

-- A transaction that sets `before_ms` may delete charges before that time, and nothing else.
create table ledger_door (one integer primary key check (one = 1), before_ms integer not null) strict;
insert into ledger_door (one, before_ms) values (1, 0);

-- The sums of entries, reservations and leases, maintained with each change.
create table balances (
  account_id text not null primary key,
  balance_nano integer not null,
  leased_nano integer not null check (leased_nano >= 0)
) strict, without rowid;

create table key_spending (
  account_id text not null,
  key_id text not null,
  spent_nano integer not null,
  leased_nano integer not null check (leased_nano >= 0),
  primary key (account_id, key_id)
) strict, without rowid;

-- The spending in budget periods that money was reserved from.
create table budget_spending (
  account_id text not null,
  key_id text not null,
  starts_at_ms integer not null,
  ends_at_ms integer not null,
  spent_nano integer not null,
  leased_nano integer not null default 0 check (leased_nano >= 0),
  primary key (account_id, key_id, starts_at_ms, ends_at_ms)
) strict, without rowid;

-- Implausible charges that await an operator's decision. No foreign keys: a row must never fail for a missing one.
create table held_charges (
  request_id text not null primary key,
  account_id text not null,
  key_id text,
  model_id text not null,
  channel_id text,
  amount_nano integer not null,
  plausible_nano integer not null,
  prompt_tokens integer not null,
  completion_tokens integer not null,
  at_ms integer not null,
  state text not null check (state in ('open', 'settled', 'dismissed'))
) strict;
create index held_charges_by_time on held_charges (at_ms);

-- Reservations that outlive a process. Open holds are included in `leased_nano` of balances and keys, so that they
-- reduce the free amount everywhere.
create table holds (
  hold_id text not null primary key,
  account_id text not null,
  key_id text,
  from_balance_nano integer check (from_balance_nano >= 0),
  from_limit_nano integer check (from_limit_nano >= 0),
  key_limit_nano integer,
  terms text not null,
  at_ms integer not null,
  expires_at_ms integer not null,
  state text not null default 'open' check (state in ('open', 'settled', 'released')),
  charged_nano integer not null default 0 check (charged_nano >= 0),
  closed_at_ms integer,
  budgets text
) strict, without rowid;
create index holds_open_by_account on holds (account_id, key_id) where state = 'open';
create index holds_open_by_expiry on holds (expires_at_ms) where state = 'open';
create index holds_ended_by_time on holds (closed_at_ms) where state <> 'open';

-- Archives of old charges.
create table ledger_checkpoints (
  number integer primary key,
  before_ms integer not null,
  entries integer not null,
  amount_nano integer not null,
  file_name text not null,
  sha256 text not null,
  previous_sha256 text,
  moved_to integer not null,
  is_complete integer not null
) strict;

-- `key_id` is empty for charges without a key.
create table ledger_archived (
  account_id text not null,
  key_id text not null,
  checkpoint integer not null,
  amount_nano integer not null,
  entries integer not null,
  first_at_ms integer not null,
  primary key (account_id, key_id, checkpoint)
) strict, without rowid;
create index ledger_archived_by_checkpoint on ledger_archived (checkpoint);

-- The process that archives.
create table ledger_archiving (
  one integer primary key check (one = 1),
  holder text not null,
  until_ms integer not null
) strict;
