-- Reservations that outlive a process. The functions lock in the same order as the ledger's others: the account's row
-- of `balances` before any of its sums, and every change of a hold locks that row. src/domain/ledger/hold.ts has the
-- rule for the amount of a charge.

-- Returns 'held', 'known', 'conflict', 'balance' or 'limit'.
create or replace function ledger_hold(
  new_hold text, for_account text, for_key text, of_balance bigint, of_limit bigint, key_limit bigint, with_terms text,
  happened_at_ms bigint, to_expire_at_ms bigint
) returns text language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
  declare
    free bigint;
    existing holds%rowtype;
  begin
    perform ledger_commit_durably();
    insert into balances (account_id) values (for_account) on conflict do nothing;
    select balance_nano - leased_nano into free from balances where account_id = for_account for no key update;
    select * into existing from holds where hold_id = new_hold;
    if found then
      if existing.account_id = for_account and existing.key_id is not distinct from for_key
        and existing.from_balance_nano is not distinct from of_balance
        and existing.from_limit_nano is not distinct from of_limit
        and existing.key_limit_nano is not distinct from key_limit
      then
        return 'known';
      end if;
      return 'conflict';
    end if;
    if of_balance is not null and free < of_balance then
      return 'balance';
    end if;
    if of_limit is not null then
      insert into key_spending (account_id, key_id) values (for_account, for_key) on conflict do nothing;
      select key_limit - spent_nano - leased_nano into free
        from key_spending where account_id = for_account and key_id = for_key;
      if free < of_limit then
        return 'limit';
      end if;
      update key_spending set leased_nano = leased_nano + of_limit
        where account_id = for_account and key_id = for_key;
    end if;
    if of_balance is not null then
      update balances set leased_nano = leased_nano + of_balance where account_id = for_account;
    end if;
    insert into holds (
      hold_id, account_id, key_id, from_balance_nano, from_limit_nano, key_limit_nano, terms, at_ms, expires_at_ms
    ) values (
      new_hold, for_account, for_key, of_balance, of_limit, key_limit, with_terms, happened_at_ms, to_expire_at_ms
    ) on conflict (hold_id) do nothing;
    if not found then
      -- Made for another account at this moment: the next attempt sees it.
      raise exception 'the id of the hold has just been used' using errcode = 'serialization_failure';
    end if;
    return 'held';
  end
$$;

-- Like ledger_hold, which it calls; also returns 'account_budget' and 'key_budget'.
create or replace function ledger_hold_2(
  new_hold text, for_account text, for_key text, of_balance bigint, of_limit bigint, key_limit bigint, with_terms text,
  happened_at_ms bigint, to_expire_at_ms bigint, with_budgets text
) returns text language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
  declare
    part record;
    free bigint;
    outcome text;
  begin
    perform ledger_commit_durably();
    insert into balances (account_id) values (for_account) on conflict do nothing;
    perform from balances where account_id = for_account for no key update;
    if with_budgets is not null and not exists (select from holds where hold_id = new_hold) then
      for part in select * from jsonb_to_recordset(with_budgets::jsonb) as b (
        key_id text, starts_at_ms bigint, ends_at_ms bigint, held_nano bigint, budget_nano bigint) loop
        perform ledger_begin_budget(for_account, part.key_id, part.starts_at_ms, part.ends_at_ms);
        select part.budget_nano - spent_nano - leased_nano into free from budget_spending
          where (account_id, key_id, starts_at_ms, ends_at_ms)
            = (for_account, part.key_id, part.starts_at_ms, part.ends_at_ms);
        if free < part.held_nano then
          return case when part.key_id = '' then 'account_budget' else 'key_budget' end;
        end if;
      end loop;
    end if;
    outcome := ledger_hold(
      new_hold, for_account, for_key, of_balance, of_limit, key_limit, with_terms, happened_at_ms, to_expire_at_ms
    );
    if outcome = 'held' and with_budgets is not null then
      update holds set budgets = with_budgets where hold_id = new_hold;
      update budget_spending p set leased_nano = p.leased_nano + b.held_nano
        from jsonb_to_recordset(with_budgets::jsonb) as b (
        key_id text, starts_at_ms bigint, ends_at_ms bigint, held_nano bigint, budget_nano bigint)
        where (p.account_id, p.key_id, p.starts_at_ms, p.ends_at_ms)
            = (for_account, b.key_id, b.starts_at_ms, b.ends_at_ms);
    end if;
    return outcome;
  end
$$;

-- The charge is booked like that of a request (ledger_charge_2), in the budget periods of the hold and in the usage
-- sums. 'ended' is null if there is no such hold.
create or replace function ledger_settle_hold_2(
  of_hold text, cost bigint, happened_at_ms bigint, of_model text, of_channel text, with_status integer, with_tags text[],
  out ended text, out charged bigint
)
language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan set switchyard.counts_charges = 'yes' as $$
  declare
    held holds%rowtype;
    part record;
    free bigint;
    known text[];
  begin
    perform ledger_commit_durably();
    perform from balances where account_id = (select account_id from holds where hold_id = of_hold) for no key update;
    select * into held from holds where hold_id = of_hold;
    if not found then
      return;
    end if;
    if held.state <> 'open' then
      ended := held.state;
      charged := held.charged_nano;
      return;
    end if;
    ended := 'settled';
    charged := cost;
    if held.from_balance_nano is not null then
      select balance_nano - leased_nano into free from balances where account_id = held.account_id;
      charged := least(charged, held.from_balance_nano + greatest(free, 0));
    end if;
    if held.from_limit_nano is not null then
      select held.key_limit_nano - spent_nano - leased_nano into free
        from key_spending where account_id = held.account_id and key_id = held.key_id;
      charged := least(charged, held.from_limit_nano + greatest(free, 0));
    end if;
    if held.budgets is not null then
      for part in select * from jsonb_to_recordset(held.budgets::jsonb) as b (
        key_id text, starts_at_ms bigint, ends_at_ms bigint, held_nano bigint, budget_nano bigint) loop
        select part.budget_nano - spent_nano - leased_nano into free from budget_spending
          where (account_id, key_id, starts_at_ms, ends_at_ms)
            = (held.account_id, part.key_id, part.starts_at_ms, part.ends_at_ms);
        charged := least(charged, part.held_nano + greatest(free, 0));
      end loop;
    end if;
    if charged > 0 then
      select c.known into known from ledger_charge_2(
        array[''], array[of_hold], array[held.account_id], array[held.key_id], array[charged], array[0::bigint],
        array[0::bigint], array[happened_at_ms], array[case when held.budgets is not null then held.at_ms end],
        array[null::bigint], array[null::bigint], array[null::bigint], array[null::bigint],
        array[of_model], array[of_channel], array[with_status],
        array_fill(of_hold, array[cardinality(with_tags)]), with_tags
      ) c;
      if cardinality(known) > 0 then
        raise unique_violation using message = 'the request has a charge that does not belong to its hold';
      end if;
    end if;
    update balances set leased_nano = leased_nano - coalesce(held.from_balance_nano, 0)
      where account_id = held.account_id;
    if held.from_limit_nano is not null then
      update key_spending set leased_nano = leased_nano - held.from_limit_nano
        where account_id = held.account_id and key_id = held.key_id;
    end if;
    update holds set state = ended, charged_nano = charged, closed_at_ms = happened_at_ms
      where hold_id = held.hold_id;
  end
$$;

create or replace function ledger_release_hold(
  of_hold text, happened_at_ms bigint, out ended text, out charged bigint
) language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
  declare
    held holds%rowtype;
  begin
    perform ledger_commit_durably();
    perform from balances where account_id = (select account_id from holds where hold_id = of_hold) for no key update;
    select * into held from holds where hold_id = of_hold;
    if not found then
      return;
    end if;
    if held.state <> 'open' then
      ended := held.state;
      charged := held.charged_nano;
      return;
    end if;
    ended := 'released';
    charged := 0;
    update balances set leased_nano = leased_nano - coalesce(held.from_balance_nano, 0)
      where account_id = held.account_id;
    if held.from_limit_nano is not null then
      update key_spending set leased_nano = leased_nano - held.from_limit_nano
        where account_id = held.account_id and key_id = held.key_id;
    end if;
    update holds set state = ended, charged_nano = charged, closed_at_ms = happened_at_ms
      where hold_id = held.hold_id;
  end
$$;

-- Releases the budget parts of a hold however it ends, and by a node of any version.
create or replace function holds_end_budgets() returns trigger
  language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
  begin
    update budget_spending p set leased_nano = p.leased_nano - b.held_nano
      from jsonb_to_recordset(old.budgets::jsonb) as b (
        key_id text, starts_at_ms bigint, ends_at_ms bigint, held_nano bigint, budget_nano bigint)
      where (p.account_id, p.key_id, p.starts_at_ms, p.ends_at_ms)
          = (old.account_id, b.key_id, b.starts_at_ms, b.ends_at_ms);
    return null;
  end
$$;
