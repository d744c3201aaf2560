-- The ledger and the leases of nodes. Amounts are integers in nano-USD (1e-9). Ids are collated by bytes, so that every
-- node locks and lists them in the same order, whatever the database's locale. Tables of sums and leases have
-- half-empty pages, so that frequently updated rows stay on their page and no index changes (HOT updates).

-- A charge counts in the budget periods of `counted_at_ms`, when its money was reserved, or of `at_ms` if that is NULL.
-- Entries other than charges are few. The triggers prevent manual edits: a wrong entry is followed by an adjustment,
-- never changed.
create table ledger_entries (
  sequence bigint generated always as identity primary key,
  idempotency_key text collate "C" not null unique,
  account_id text collate "C" not null,
  key_id text collate "C",
  kind text not null,
  amount_nano bigint not null,
  request_id text collate "C",
  at_ms bigint not null,
  note text,
  counted_at_ms bigint,
  check (
    case kind
      when 'grant' then amount_nano >= 0
      when 'refund' then amount_nano >= 0
      when 'charge' then amount_nano <= 0 and request_id is not null
      else kind = 'adjustment'
    end
  )
);
create index ledger_entries_by_account on ledger_entries (account_id, at_ms, sequence);
create index ledger_entries_but_charges on ledger_entries (account_id, at_ms, sequence) where kind <> 'charge';
create trigger ledger_entries_unchanged before update or delete on ledger_entries
for each row execute function ledger_refuse_change();
create trigger ledger_entries_kept before truncate on ledger_entries
for each statement execute function ledger_refuse_change();
create trigger ledger_entries_counted after insert on ledger_entries for each row
when (new.kind = 'charge' and current_setting('switchyard.counts_charges', true) is distinct from 'yes')
execute function ledger_count_charge();

-- The sums of entries, reservations and leases, maintained with each change.
create table balances (
  account_id text collate "C" primary key,
  balance_nano bigint not null default 0,
  leased_nano bigint not null default 0 check (leased_nano >= 0)
) with (fillfactor = 50);

create table key_spending (
  account_id text collate "C" not null,
  key_id text collate "C" not null,
  spent_nano bigint not null default 0 check (spent_nano >= 0),
  leased_nano bigint not null default 0 check (leased_nano >= 0),
  primary key (account_id, key_id)
) with (fillfactor = 50);

-- The spending in budget periods that money was reserved from.
create table budget_spending (
  account_id text collate "C" not null,
  key_id text collate "C" not null,
  starts_at_ms bigint not null,
  ends_at_ms bigint not null,
  spent_nano bigint not null,
  leased_nano bigint not null default 0 check (leased_nano >= 0),
  primary key (account_id, key_id, starts_at_ms, ends_at_ms)
) with (fillfactor = 50);

-- A node is one lifetime of a gateway: one that could not renew itself in time returns as another node.
create table nodes (node_id text collate "C" primary key, expires_at timestamptz not null);
create index nodes_by_expiry on nodes (expires_at);

-- `key_id` is empty for a lease of the account's balance. `operation` is the number of the node's last lease or release
-- of it and `granted_nano` its result, so that a statement with an unknown outcome can be sent again.
create table leases (
  node_id text collate "C" not null references nodes,
  account_id text collate "C" not null,
  key_id text collate "C" not null,
  amount_nano bigint not null check (amount_nano >= 0),
  operation bigint not null,
  granted_nano bigint not null,
  changed_at timestamptz not null,
  primary key (node_id, account_id, key_id)
) with (fillfactor = 50);

-- Deleted with their node, and a trigger releases them, since nodes of an earlier version do not know them.
create table budget_leases (
  node_id text collate "C" not null references nodes on delete cascade,
  account_id text collate "C" not null,
  key_id text collate "C" not null,
  starts_at_ms bigint not null,
  ends_at_ms bigint not null,
  amount_nano bigint not null check (amount_nano >= 0),
  operation bigint not null,
  granted_nano bigint not null,
  changed_at timestamptz not null,
  primary key (node_id, account_id, key_id, starts_at_ms, ends_at_ms)
) with (fillfactor = 50);
create trigger budget_leases_ended after delete on budget_leases
for each row when (old.amount_nano > 0) execute function budget_end_lease();

-- Implausible charges that await an operator's decision. No foreign keys: a row must never fail for a missing one.
create table held_charges (
  request_id text collate "C" not null primary key,
  account_id text collate "C" not null,
  key_id text collate "C",
  model_id text not null,
  channel_id text,
  amount_nano bigint not null,
  plausible_nano bigint not null,
  prompt_tokens bigint not null,
  completion_tokens bigint not null,
  at_ms bigint not null,
  state text not null check (state in ('open', 'settled', 'dismissed'))
);
create index held_charges_by_time on held_charges (at_ms);

-- Reservations that outlive a process. Open holds are included in `leased_nano` of balances and keys, so that they
-- reduce the free amount everywhere.
create table holds (
  hold_id text collate "C" primary key,
  account_id text collate "C" not null,
  key_id text collate "C",
  from_balance_nano bigint check (from_balance_nano >= 0),
  from_limit_nano bigint check (from_limit_nano >= 0),
  key_limit_nano bigint,
  terms text not null,
  at_ms bigint not null,
  expires_at_ms bigint not null,
  state text not null default 'open' check (state in ('open', 'settled', 'released')),
  charged_nano bigint not null default 0 check (charged_nano >= 0),
  closed_at_ms bigint,
  budgets text
);
create index holds_open_by_account on holds (account_id, key_id) where state = 'open';
create index holds_open_by_expiry on holds (expires_at_ms) where state = 'open';
create index holds_ended_by_time on holds (closed_at_ms) where state <> 'open';
create trigger holds_budgets_ended after update on holds for each row
when (old.state = 'open' and new.state <> 'open' and old.budgets is not null) execute function holds_end_budgets();

-- Archives of old charges.
create table ledger_checkpoints (
  number bigint primary key,
  before_ms bigint not null,
  entries bigint not null,
  amount_nano bigint not null,
  file_name text not null,
  sha256 text not null,
  previous_sha256 text,
  moved_to bigint not null,
  is_complete smallint not null
);

-- `key_id` is empty for charges without a key.
create table ledger_archived (
  account_id text collate "C" not null,
  key_id text collate "C" not null,
  checkpoint bigint not null,
  amount_nano bigint not null,
  entries bigint not null,
  first_at_ms bigint not null,
  primary key (account_id, key_id, checkpoint)
);
create index ledger_archived_by_checkpoint on ledger_archived (checkpoint);

-- The process that archives.
create table ledger_archiving (
  one integer primary key check (one = 1),
  holder text not null,
  until_ms bigint not null
);
