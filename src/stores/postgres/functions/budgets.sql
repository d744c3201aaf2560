-- Functions to lease from budget periods. They lock in the same order as all functions of the ledger: rows of `nodes`,
-- then of `balances`.

-- Returns the sum of the charges in a period. Reads backwards from the newest entry. Entries are out of order by at
-- most one hour (3,600,000 ms), due to clock skew between gateways and charges that wait for the database.
create or replace function ledger_charged_in(of_account text, of_key text, from_ms bigint, to_ms bigint) returns bigint
  language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
  declare
    before bigint;
  begin
    select sequence into before from ledger_entries
      where account_id = of_account and at_ms < from_ms - 3600000 order by sequence desc limit 1;
    return (
      select coalesce(-sum(amount_nano), 0) from ledger_entries
        where account_id = of_account and sequence > coalesce(before, 0) and kind = 'charge'
          and (of_key = '' or key_id = of_key)
          and coalesce(counted_at_ms, at_ms) >= from_ms and coalesce(counted_at_ms, at_ms) < to_ms
    );
  end
$$;

-- Creates the row of a period if it is missing. The caller must have locked the account's row of `balances`. Periods
-- that ended seven days (604,800,000 ms) before a new one began are deleted, unless part of them is leased.
create or replace function ledger_begin_budget(for_account text, for_key text, starts bigint, ends bigint) returns void
  language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
  begin
    if exists (
      select from budget_spending
        where account_id = for_account and key_id = for_key and starts_at_ms = starts and ends_at_ms = ends
    ) then
      return;
    end if;
    insert into budget_spending (account_id, key_id, starts_at_ms, ends_at_ms, spent_nano)
      values (for_account, for_key, starts, ends, ledger_charged_in(for_account, for_key, starts, ends));
    delete from budget_spending
      where account_id = for_account and key_id = for_key and ends_at_ms < starts - 604800000
        and leased_nano = 0;
  end
$$;

-- Like ledger_lease, for a budget period.
create or replace function ledger_lease_budget(
  for_node text, for_account text, for_key text, starts bigint, ends bigint, as_operation bigint, wanted bigint,
  at_least bigint, budget bigint, out granted bigint, out others_expired boolean
) language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
  declare
    free bigint;
    held budget_leases%rowtype;
  begin
    perform ledger_commit_durably();
    others_expired := false;
    perform from nodes where node_id = for_node for key share;
    if not found then
      return;
    end if;
    insert into balances (account_id) values (for_account) on conflict do nothing;
    perform from balances where account_id = for_account for no key update;
    select * into held from budget_leases
      where node_id = for_node and account_id = for_account and key_id = for_key
        and starts_at_ms = starts and ends_at_ms = ends;
    if held.operation >= as_operation then
      granted := held.granted_nano;
      return;
    end if;
    perform ledger_begin_budget(for_account, for_key, starts, ends);
    select budget - spent_nano - leased_nano into free from budget_spending
      where account_id = for_account and key_id = for_key and starts_at_ms = starts and ends_at_ms = ends;
    granted := least(wanted, free);
    if granted <= 0 or granted < at_least then
      granted := 0;
      others_expired := exists (select from nodes where expires_at < clock_timestamp());
      return;
    end if;
    update budget_spending set leased_nano = leased_nano + granted
      where account_id = for_account and key_id = for_key and starts_at_ms = starts and ends_at_ms = ends;
    insert into budget_leases as l (
      node_id, account_id, key_id, starts_at_ms, ends_at_ms, amount_nano, operation, granted_nano, changed_at
    ) values (for_node, for_account, for_key, starts, ends, granted, as_operation, granted, clock_timestamp())
      on conflict (node_id, account_id, key_id, starts_at_ms, ends_at_ms) do update set
        amount_nano = l.amount_nano + excluded.amount_nano, operation = excluded.operation,
        granted_nano = excluded.granted_nano, changed_at = excluded.changed_at;
  end
$$;

-- Like ledger_give_back, for a budget period.
create or replace function ledger_give_back_budget(
  for_node text, for_account text, for_key text, starts bigint, ends bigint, as_operation bigint, amount bigint
) returns void language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
  declare
    held budget_leases%rowtype;
    returned bigint;
  begin
    perform ledger_commit_durably();
    perform from nodes where node_id = for_node for key share;
    perform from balances where account_id = for_account for no key update;
    select * into held from budget_leases
      where node_id = for_node and account_id = for_account and key_id = for_key
        and starts_at_ms = starts and ends_at_ms = ends;
    if not found or held.operation >= as_operation then
      return;
    end if;
    returned := least(held.amount_nano, amount);
    update budget_leases
      set amount_nano = amount_nano - returned, operation = as_operation, granted_nano = 0,
        changed_at = clock_timestamp()
      where node_id = for_node and account_id = for_account and key_id = for_key
        and starts_at_ms = starts and ends_at_ms = ends;
    update budget_spending set leased_nano = leased_nano - returned
      where account_id = for_account and key_id = for_key and starts_at_ms = starts and ends_at_ms = ends;
  end
$$;

-- Releases the leases of a node that was deleted.
create or replace function budget_end_lease() returns trigger language plpgsql as $$
  begin
    update budget_spending set leased_nano = leased_nano - old.amount_nano
      where (account_id, key_id, starts_at_ms, ends_at_ms)
        = (old.account_id, old.key_id, old.starts_at_ms, old.ends_at_ms);
    return null;
  end
$$;
