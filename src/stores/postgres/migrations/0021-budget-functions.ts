/* See 0002-ledger-functions.ts: rows are found by their keys, and plans are cached. */
export const BY_KEY = 'set enable_seqscan = off set plan_cache_mode = force_generic_plan';

/** One hour: the most that entries are out of order, due to clock skew between gateways and charges that wait for the database. */
const LONGEST_DISORDER_MS = 3_600_000;
/** Periods that ended seven days before a new one began are deleted, unless part of them is leased. */
const FORGET_AFTER_MS = 604_800_000;

/**
 * Functions to lease from budget periods. They lock in the same order as all functions of the ledger: rows of `nodes`, then of `balances`.
 */
export const BUDGET_FUNCTIONS: readonly string[] = [
  /** Returns the sum of the charges in a period. Reads backwards from the newest entry. */
  `create function ledger_charged_in(of_account text, of_key text, from_ms bigint, to_ms bigint) returns bigint
    language plpgsql ${BY_KEY} as $$
    declare
      before bigint;
    begin
      select sequence into before from ledger_entries
        where account_id = of_account and at_ms < from_ms - ${LONGEST_DISORDER_MS} order by sequence desc limit 1;
      return (
        select coalesce(-sum(amount_nano), 0) from ledger_entries
          where account_id = of_account and sequence > coalesce(before, 0) and kind = 'charge'
            and (of_key = '' or key_id = of_key)
            and coalesce(counted_at_ms, at_ms) >= from_ms and coalesce(counted_at_ms, at_ms) < to_ms
      );
    end
  $$`,

  /** Creates the row of a period if it is missing. The caller must have locked the account's row of `balances`. */
  `create function ledger_begin_budget(for_account text, for_key text, starts bigint, ends bigint) returns void
    language plpgsql ${BY_KEY} as $$
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
        where account_id = for_account and key_id = for_key and ends_at_ms < starts - ${FORGET_AFTER_MS}
          and leased_nano = 0;
    end
  $$`,

  /** Like ledger_lease, for a budget period. */
  `create function ledger_lease_budget(
    for_node text, for_account text, for_key text, starts bigint, ends bigint, as_operation bigint, wanted bigint,
    at_least bigint, budget bigint, out granted bigint, out others_expired boolean
  ) language plpgsql ${BY_KEY} as $$
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
  $$`,

  /** Like ledger_give_back, for a budget period. */
  `create function ledger_give_back_budget(
    for_node text, for_account text, for_key text, starts bigint, ends bigint, as_operation bigint, amount bigint
  ) returns void language plpgsql ${BY_KEY} as $$
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
  $$`,

  /** Like ledger_end_node, which it calls after locking everything that the end of the leases changes. */
  `create function ledger_end_node_2(for_node text) returns numeric language plpgsql ${BY_KEY} as $$
    begin
      perform ledger_commit_durably();
      perform from nodes where node_id = for_node for update;
      if not found then
        return null;
      end if;
      perform from balances
        where account_id in (
          select account_id from leases where node_id = for_node
          union select account_id from budget_leases where node_id = for_node
        )
        order by account_id for no key update;
      return ledger_end_node(for_node);
    end
  $$`,

  `create function ledger_end_expired_node_2(out ended text, out returned numeric) language plpgsql ${BY_KEY} as $$
    begin
      loop
        -- Waits for whoever is ending it just now: only then is what it held there to be leased.
        select node_id into ended from nodes where expires_at < clock_timestamp() order by node_id limit 1 for update;
        if found then
          returned := ledger_end_node_2(ended);
          return;
        end if;
        exit when not exists (select from nodes where expires_at < clock_timestamp());
      end loop;
    end
  $$`,
];
