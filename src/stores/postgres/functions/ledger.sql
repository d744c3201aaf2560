-- Every change of the ledger is one call of one of these functions, and so one round trip and one transaction: a node
-- that is cut off in the middle leaves no balance locked, and a charge waits for a single response. All functions lock
-- in the same order to avoid deadlocks: rows of `nodes`, then rows of `balances` by id. Reading or changing an
-- account's sums or leases requires its row of `balances`; changing a node's leases requires its row of `nodes`. Each
-- statement of a function sees what was committed before it, so reads after the locks are current.
-- Rows are found by their keys (enable_seqscan = off). A plan that is made and cached while a table is new and small
-- would scan all of it, including dead row versions, until it is analyzed. Generic plans serve one charge as well as a
-- thousand: planning anew each time took three quarters of the 1.3 ms of one charge (measured on PostgreSQL 18).

-- A transaction that sets `switchyard.audit_pseudonym` may replace notes by that pseudonym; one that sets
-- `switchyard.ledger_before_ms` may delete charges before that time. Nothing else of an entry can change.
create or replace function ledger_refuse_change() returns trigger language plpgsql as $$
  declare
    pseudonym text := current_setting('switchyard.audit_pseudonym', true);
    before_ms bigint := coalesce(nullif(current_setting('switchyard.ledger_before_ms', true), ''), '0')::bigint;
  begin
    if tg_op = 'DELETE' then
      if old.kind = 'charge' and old.at_ms < before_ms then
        return old;
      end if;
    elsif tg_op = 'UPDATE' and coalesce(pseudonym like 'erased-________', false) then
      if old.note is not null and new.note = pseudonym and to_jsonb(new) - 'note' = to_jsonb(old) - 'note' then
        return new;
      end if;
    end if;
    raise exception 'entries of the ledger are never changed or deleted: append an adjustment';
  end
$$;

-- Makes the commit durable whatever the connection's default. This includes leases, since a lost one could be leased a
-- second time.
create or replace function ledger_commit_durably() returns void language plpgsql as $$
  begin
    if current_setting('synchronous_commit') = 'off' then
      perform set_config('synchronous_commit', 'on', true);
    end if;
  end
$$;

-- Returns 'appended', 'known', 'conflict' or 'insufficient'.
create or replace function ledger_append(
  for_idempotency_key text, for_account text, for_key text, of_kind text, amount bigint, for_request text,
  happened_at_ms bigint, with_note text
) returns text language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
  declare
    free bigint;
    existing ledger_entries%rowtype;
  begin
    perform ledger_commit_durably();
    if amount >= 0 and not exists (select from ledger_entries where idempotency_key = for_idempotency_key) then
      insert into balances (account_id) values (for_account) on conflict do nothing;
    end if;
    select balance_nano - leased_nano into free from balances where account_id = for_account for no key update;
    select * into existing from ledger_entries where idempotency_key = for_idempotency_key;
    if found then
      if (existing.account_id, existing.kind, existing.amount_nano) = (for_account, of_kind, amount)
        and existing.key_id is not distinct from for_key and existing.request_id is not distinct from for_request
      then
        return 'known';
      end if;
      return 'conflict';
    end if;
    if amount < 0 and coalesce(free, 0) < -amount then
      return 'insufficient';
    end if;
    insert into ledger_entries (idempotency_key, account_id, key_id, kind, amount_nano, request_id, at_ms, note)
      values (for_idempotency_key, for_account, for_key, of_kind, amount, for_request, happened_at_ms, with_note)
      on conflict (idempotency_key) do nothing;
    if not found then
      -- Appended for another account at this moment: the next attempt sees it.
      raise exception 'the idempotency key has just been used' using errcode = 'serialization_failure';
    end if;
    update balances set balance_nano = balance_nano + amount where account_id = for_account;
    return 'appended';
  end
$$;

-- 'granted' is null if the node no longer exists. If nothing was granted, 'others_expired' says whether leases of
-- expired nodes could be released.
create or replace function ledger_lease(
  for_node text, for_account text, for_key text, as_operation bigint, wanted bigint, at_least bigint, key_limit bigint,
  out granted bigint, out others_expired boolean
) language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
  declare
    free bigint;
    held leases%rowtype;
  begin
    perform ledger_commit_durably();
    others_expired := false;
    perform from nodes where node_id = for_node for key share;
    if not found then
      return;
    end if;
    if for_key <> '' then
      insert into balances (account_id) values (for_account) on conflict do nothing;
    end if;
    select balance_nano - leased_nano into free from balances where account_id = for_account for no key update;
    select * into held from leases where node_id = for_node and account_id = for_account and key_id = for_key;
    if held.operation >= as_operation then
      granted := held.granted_nano;
      return;
    end if;
    if for_key <> '' then
      insert into key_spending (account_id, key_id) values (for_account, for_key) on conflict do nothing;
      select key_limit - spent_nano - leased_nano into free
        from key_spending where account_id = for_account and key_id = for_key;
    end if;
    granted := least(wanted, coalesce(free, 0));
    if granted <= 0 or granted < at_least then
      granted := 0;
      others_expired := exists (select from nodes where expires_at < clock_timestamp());
      return;
    end if;
    if for_key = '' then
      update balances set leased_nano = leased_nano + granted where account_id = for_account;
    else
      update key_spending set leased_nano = leased_nano + granted
        where account_id = for_account and key_id = for_key;
    end if;
    insert into leases as l (node_id, account_id, key_id, amount_nano, operation, granted_nano, changed_at)
      values (for_node, for_account, for_key, granted, as_operation, granted, clock_timestamp())
      on conflict (node_id, account_id, key_id) do update set
        amount_nano = l.amount_nano + excluded.amount_nano, operation = excluded.operation,
        granted_nano = excluded.granted_nano, changed_at = excluded.changed_at;
  end
$$;

-- Releases at most the leased amount. The row stays for a while, so that the same operation is not applied twice.
create or replace function ledger_give_back(
  for_node text, for_account text, for_key text, as_operation bigint, amount bigint
) returns void language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
  declare
    held leases%rowtype;
    returned bigint;
  begin
    perform ledger_commit_durably();
    perform from nodes where node_id = for_node for key share;
    perform from balances where account_id = for_account for no key update;
    select * into held from leases where node_id = for_node and account_id = for_account and key_id = for_key;
    if not found or held.operation >= as_operation then
      return;
    end if;
    returned := least(held.amount_nano, amount);
    update leases
      set amount_nano = amount_nano - returned, operation = as_operation, granted_nano = 0,
        changed_at = clock_timestamp()
      where node_id = for_node and account_id = for_account and key_id = for_key;
    if for_key = '' then
      update balances set leased_nano = leased_nano - returned where account_id = for_account;
    else
      update key_spending set leased_nano = leased_nano - returned
        where account_id = for_account and key_id = for_key;
    end if;
  end
$$;

-- Releases all leases of a node and deletes it. Returns the released amount, or null if the node did not exist.
create or replace function ledger_end_node(for_node text) returns numeric
  language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
  declare
    returned numeric;
  begin
    perform ledger_commit_durably();
    perform from nodes where node_id = for_node for update;
    if not found then
      return null;
    end if;
    perform from balances where account_id in (select account_id from leases where node_id = for_node)
      order by account_id for no key update;
    update balances b set leased_nano = b.leased_nano - l.amount_nano
      from leases l where l.node_id = for_node and l.key_id = '' and b.account_id = l.account_id;
    update key_spending k set leased_nano = k.leased_nano - l.amount_nano
      from leases l where l.node_id = for_node and (k.account_id, k.key_id) = (l.account_id, l.key_id);
    select coalesce(sum(amount_nano) filter (where key_id = ''), 0) into returned from leases where node_id = for_node;
    delete from leases where node_id = for_node;
    delete from nodes where node_id = for_node;
    return returned;
  end
$$;

-- Like ledger_end_node, which it calls after locking everything that the end of the leases changes.
create or replace function ledger_end_node_2(for_node text) returns numeric
  language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
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
$$;

-- Ends one expired node, if there is one; otherwise 'ended' is null.
create or replace function ledger_end_expired_node_2(out ended text, out returned numeric)
  language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
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
$$;

-- No node of a version that can use this database calls these.
drop function if exists ledger_charge, ledger_settle_hold, ledger_end_expired_node;
