-- Made as README.md says.
SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
CREATE FUNCTION public.accounts_changed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    begin
      update directory_version set access_version = access_version + 1;
      insert into account_changes (account_id, version)
        select account_id, access_version from directory_version, (select distinct id as account_id from changed) as found
        on conflict (account_id) do update set version = excluded.version;
      return null;
    end
  $$;
CREATE FUNCTION public.accounts_emptied() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    begin
      update directory_version set access_version = access_version + 1;
      insert into account_changes (account_id, version)
        select account_id, access_version from directory_version, (select '' as account_id) as found
        on conflict (account_id) do update set version = excluded.version;
      return null;
    end
  $$;
CREATE FUNCTION public.audit_refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        begin
          raise exception 'entries of the audit log are never changed or deleted';
        end
      $$;
CREATE FUNCTION public.budget_end_lease() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    begin
      update budget_spending set leased_nano = leased_nano - old.amount_nano
        where (account_id, key_id, starts_at_ms, ends_at_ms)
          = (old.account_id, old.key_id, old.starts_at_ms, old.ends_at_ms);
      return null;
    end
  $$;
CREATE FUNCTION public.count_directory_version() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
      begin
        update directory_version set version = version + 1;
        return null;
      end
    $$;
CREATE FUNCTION public.credentials_changed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    begin
      update directory_version set access_version = access_version + 1;
      insert into account_changes (account_id, version)
        select account_id, access_version from directory_version, (select distinct account_id as account_id from changed) as found
        on conflict (account_id) do update set version = excluded.version;
      return null;
    end
  $$;
CREATE FUNCTION public.credentials_emptied() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    begin
      update directory_version set access_version = access_version + 1;
      insert into account_changes (account_id, version)
        select account_id, access_version from directory_version, (select '' as account_id) as found
        on conflict (account_id) do update set version = excluded.version;
      return null;
    end
  $$;
CREATE FUNCTION public.credentials_retired_secret() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    begin
      delete from retired_secrets where secret_hash = old.secret_hash;
      insert into retired_secrets (secret_hash, account_id, kind, credential_id)
        values (old.secret_hash, old.account_id, old.kind, old.id);
      delete from retired_secrets where number in (
        select number from retired_secrets
        where account_id = old.account_id and kind = old.kind and credential_id = old.id
        order by number desc offset 20
      ) and account_id = old.account_id and kind = old.kind and credential_id = old.id;
      return null;
    end
  $$;
CREATE FUNCTION public.directory_version_notify() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    begin
      perform pg_notify('switchyard_directory', '');
      return null;
    end
  $$;
CREATE FUNCTION public.holds_end_budgets() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
    begin
      update budget_spending p set leased_nano = p.leased_nano - b.held_nano
        from jsonb_to_recordset(old.budgets::jsonb) as b (
          key_id text, starts_at_ms bigint, ends_at_ms bigint, held_nano bigint, budget_nano bigint)
        where (p.account_id, p.key_id, p.starts_at_ms, p.ends_at_ms)
            = (old.account_id, b.key_id, b.starts_at_ms, b.ends_at_ms);
      return null;
    end
  $$;
CREATE FUNCTION public.ledger_append(for_idempotency_key text, for_account text, for_key text, of_kind text, amount bigint, for_request text, happened_at_ms bigint, with_note text) RETURNS text
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
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
CREATE FUNCTION public.ledger_begin_budget(for_account text, for_key text, starts bigint, ends bigint) RETURNS void
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
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
CREATE FUNCTION public.ledger_charge(for_nodes text[], for_requests text[], for_accounts text[], for_keys text[], costs bigint[], from_account_leases bigint[], from_key_leases bigint[], happened_at_ms bigint[], OUT known text[], OUT uncovered bigint) RETURNS record
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
    declare
      charged text[];
    begin
      perform ledger_commit_durably();
      perform from nodes where node_id = any (for_nodes) order by node_id for key share;
      insert into balances (account_id)
        select distinct a collate "C" from unnest(for_accounts) a
          where not exists (select from balances where account_id = a) order by 1
        on conflict do nothing;
      perform from balances where account_id = any (for_accounts) order by account_id for no key update;
      with written as (
        insert into ledger_entries (idempotency_key, account_id, key_id, kind, amount_nano, request_id, at_ms)
          select 'charge:' || request, account, key, 'charge', -cost, request, at_ms
            from unnest(for_requests, for_accounts, for_keys, costs, happened_at_ms)
              with ordinality c (request, account, key, cost, at_ms, place)
            order by place
          on conflict (idempotency_key) do nothing
          returning request_id
      )
      select coalesce(array_agg(request_id), '{}') into charged from written;
      known := '{}';
      if cardinality(charged) < cardinality(for_requests) then
        -- Rare, and only here is each of them compared with each.
        known := array(select r from unnest(for_requests) r where r <> all (charged));
        select array_agg(node), array_agg(request), array_agg(account), array_agg(key), array_agg(cost),
            array_agg(from_account), array_agg(from_key)
          into for_nodes, for_requests, for_accounts, for_keys, costs, from_account_leases, from_key_leases
          from unnest(
            for_nodes, for_requests, for_accounts, for_keys, costs, from_account_leases, from_key_leases
          ) c (node, request, account, key, cost, from_account, from_key)
          where request = any (charged);
      end if;
      insert into key_spending (account_id, key_id)
        select distinct account, key from unnest(for_accounts, for_keys) c (account, key)
          where key is not null
            and not exists (select from key_spending where (account_id, key_id) = (account, key))
        on conflict do nothing;
      with charges as (
        select * from unnest(for_nodes, for_accounts, for_keys, costs, from_account_leases, from_key_leases)
          c (node, account, key, cost, from_account, from_key)
      ), due as (
        select node, account, '' as key, sum(from_account) as amount from charges group by 1, 2
        union all
        select node, account, key, sum(from_key) from charges where key is not null group by 1, 2, 3
      ), taken as (
        select l.node_id, l.account_id, l.key_id, least(l.amount_nano, due.amount) as amount
          from leases l join due on (l.node_id, l.account_id, l.key_id) = (due.node, due.account, due.key)
      ), shrunk as (
        update leases l set amount_nano = l.amount_nano - t.amount, changed_at = clock_timestamp()
          from taken t where (l.node_id, l.account_id, l.key_id) = (t.node_id, t.account_id, t.key_id) and t.amount > 0
      ), taken_of_purse as (
        select account_id, key_id, sum(amount) as amount from taken group by 1, 2
      ), paid as (
        update balances b set balance_nano = b.balance_nano - c.cost, leased_nano = b.leased_nano - coalesce(t.amount, 0)
          from (select account, sum(cost) as cost from charges group by 1) c
            left join taken_of_purse t on t.account_id = c.account and t.key_id = ''
          where b.account_id = c.account
      ), counted as (
        update key_spending k set spent_nano = k.spent_nano + c.cost, leased_nano = k.leased_nano - coalesce(t.amount, 0)
          from (select account, key, sum(cost) as cost from charges where key is not null group by 1, 2) c
            left join taken_of_purse t on t.account_id = c.account and t.key_id = c.key
          where (k.account_id, k.key_id) = (c.account, c.key)
      )
      select coalesce((select sum(amount) from due), 0) - coalesce((select sum(amount) from taken), 0) into uncovered;
    end
  $$;
CREATE FUNCTION public.ledger_charge_2(for_nodes text[], for_requests text[], for_accounts text[], for_keys text[], costs bigint[], from_account_leases bigint[], from_key_leases bigint[], happened_at_ms bigint[], to_count_at_ms bigint[], account_starts bigint[], account_ends bigint[], key_starts bigint[], key_ends bigint[], of_models text[], of_channels text[], with_statuses integer[], tagged text[], with_tags text[], OUT known text[], OUT uncovered bigint) RETURNS record
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET "switchyard.counts_charges" TO 'yes'
    AS $$
    declare
      charged text[];
    begin
      perform ledger_commit_durably();
      perform from nodes where node_id = any (for_nodes) order by node_id for key share;
      insert into balances (account_id)
        select distinct a collate "C" from unnest(for_accounts) a
          where not exists (select from balances where account_id = a) order by 1
        on conflict do nothing;
      perform from balances where account_id = any (for_accounts) order by account_id for no key update;
      with written as (
        insert into ledger_entries (
          idempotency_key, account_id, key_id, kind, amount_nano, request_id, at_ms, counted_at_ms
        )
          select 'charge:' || request, account, key, 'charge', -cost, request, at_ms, counted_ms
            from unnest(for_requests, for_accounts, for_keys, costs, happened_at_ms, to_count_at_ms)
              with ordinality c (request, account, key, cost, at_ms, counted_ms, place)
            order by place
          on conflict (idempotency_key) do nothing
          returning request_id
      )
      select coalesce(array_agg(request_id), '{}') into charged from written;
      known := '{}';
      if cardinality(charged) < cardinality(for_requests) then
        -- Rare, and only here is each of them compared with each.
        known := array(select r from unnest(for_requests) r where r <> all (charged));
        select array_agg(node), array_agg(request), array_agg(account), array_agg(key), array_agg(cost),
            array_agg(from_account), array_agg(from_key), array_agg(at_ms), array_agg(counted_ms),
            array_agg(account_start), array_agg(account_end), array_agg(key_start), array_agg(key_end),
            array_agg(model), array_agg(channel), array_agg(status)
          into for_nodes, for_requests, for_accounts, for_keys, costs, from_account_leases, from_key_leases,
            happened_at_ms, to_count_at_ms, account_starts, account_ends, key_starts, key_ends,
            of_models, of_channels, with_statuses
          from unnest(
            for_nodes, for_requests, for_accounts, for_keys, costs, from_account_leases, from_key_leases,
            happened_at_ms, to_count_at_ms, account_starts, account_ends, key_starts, key_ends,
            of_models, of_channels, with_statuses
          ) c (
            node, request, account, key, cost, from_account, from_key, at_ms, counted_ms,
            account_start, account_end, key_start, key_end, model, channel, status
          )
          where request = any (charged);
        if for_requests is null then
          uncovered := 0;
          return;
        end if;
      end if;
      insert into usage_deltas (at_ms, account_id, key_id, model_id, channel_id, status, cost_nano)
        select at_ms, account, coalesce(key, ''), model, channel, status, cost
          from unnest(happened_at_ms, for_accounts, for_keys, of_models, of_channels, with_statuses, costs)
            c (at_ms, account, key, model, channel, status, cost)
          where cost <> 0;
      if cardinality(tagged) > 0 then
        insert into usage_deltas (at_ms, account_id, key_id, model_id, channel_id, status, tag, cost_nano)
          select at_ms, account, coalesce(key, ''), model, channel, status, tag, cost
            from unnest(
                for_requests, happened_at_ms, for_accounts, for_keys, of_models, of_channels, with_statuses, costs
              ) c (request, at_ms, account, key, model, channel, status, cost)
              join unnest(tagged, with_tags) t (request, tag) using (request)
            where cost <> 0;
      end if;
      insert into key_spending (account_id, key_id)
        select distinct account, key from unnest(for_accounts, for_keys) c (account, key)
          where key is not null
            and not exists (select from key_spending where (account_id, key_id) = (account, key))
        on conflict do nothing;
      with charges as (
        select * from unnest(for_nodes, for_accounts, for_keys, costs, from_account_leases, from_key_leases)
          c (node, account, key, cost, from_account, from_key)
      ), due as (
        select node, account, '' as key, sum(from_account) as amount from charges group by 1, 2
        union all
        select node, account, key, sum(from_key) from charges where key is not null group by 1, 2, 3
      ), taken as (
        select l.node_id, l.account_id, l.key_id, least(l.amount_nano, due.amount) as amount
          from leases l join due on (l.node_id, l.account_id, l.key_id) = (due.node, due.account, due.key)
      ), shrunk as (
        update leases l set amount_nano = l.amount_nano - t.amount, changed_at = clock_timestamp()
          from taken t where (l.node_id, l.account_id, l.key_id) = (t.node_id, t.account_id, t.key_id) and t.amount > 0
      ), taken_of_purse as (
        select account_id, key_id, sum(amount) as amount from taken group by 1, 2
      ), paid as (
        update balances b set balance_nano = b.balance_nano - c.cost, leased_nano = b.leased_nano - coalesce(t.amount, 0)
          from (select account, sum(cost) as cost from charges group by 1) c
            left join taken_of_purse t on t.account_id = c.account and t.key_id = ''
          where b.account_id = c.account
      ), counted as (
        update key_spending k set spent_nano = k.spent_nano + c.cost, leased_nano = k.leased_nano - coalesce(t.amount, 0)
          from (select account, key, sum(cost) as cost from charges where key is not null group by 1, 2) c
            left join taken_of_purse t on t.account_id = c.account and t.key_id = c.key
          where (k.account_id, k.key_id) = (c.account, c.key)
      )
      select coalesce((select sum(amount) from due), 0) - coalesce((select sum(amount) from taken), 0) into uncovered;
      if exists (select from budget_spending where account_id = any (for_accounts)) then
        perform ledger_count_in_budgets(
          for_nodes, for_accounts, for_keys, costs,
          array(select coalesce(counted_ms, at_ms) from unnest(to_count_at_ms, happened_at_ms)
            with ordinality c (counted_ms, at_ms, place) order by place),
          account_starts, account_ends, key_starts, key_ends
        );
      end if;
    end
  $$;
CREATE FUNCTION public.ledger_charged_in(of_account text, of_key text, from_ms bigint, to_ms bigint) RETURNS bigint
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
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
CREATE FUNCTION public.ledger_commit_durably() RETURNS void
    LANGUAGE plpgsql
    AS $$
    begin
      if current_setting('synchronous_commit') = 'off' then
        perform set_config('synchronous_commit', 'on', true);
      end if;
    end
  $$;
CREATE FUNCTION public.ledger_count_charge() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
    declare
      counted bigint := coalesce(new.counted_at_ms, new.at_ms);
    begin
      update budget_spending set spent_nano = spent_nano - new.amount_nano
        where account_id = new.account_id and (key_id = '' or key_id = new.key_id)
          and starts_at_ms <= counted and counted < ends_at_ms;
      if new.amount_nano <> 0 then
        insert into usage_deltas (at_ms, account_id, key_id, cost_nano)
          values (new.at_ms, new.account_id, coalesce(new.key_id, ''), -new.amount_nano);
      end if;
      return null;
    end
  $$;
CREATE FUNCTION public.ledger_count_in_budgets(for_nodes text[], for_accounts text[], for_keys text[], costs bigint[], to_count_at_ms bigint[], account_starts bigint[], account_ends bigint[], key_starts bigint[], key_ends bigint[]) RETURNS void
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
    begin
      with charges as (
        select * from unnest(
          for_nodes, for_accounts, for_keys, costs, to_count_at_ms, account_starts, account_ends, key_starts, key_ends
        ) c (node, account, key, cost, counted_ms, account_start, account_end, key_start, key_end)
      ), due as (
        select node, account, '' as key, account_start as starts, account_end as ends, sum(cost) as amount
          from charges where account_start is not null group by 1, 2, 4, 5
        union all
        select node, account, key, key_start, key_end, sum(cost)
          from charges where key is not null and key_start is not null group by 1, 2, 3, 4, 5
      ), taken as (
        select l.node_id, l.account_id, l.key_id, l.starts_at_ms, l.ends_at_ms, least(l.amount_nano, due.amount) as amount
          from budget_leases l join due
            on (l.node_id, l.account_id, l.key_id, l.starts_at_ms, l.ends_at_ms)
              = (due.node, due.account, due.key, due.starts, due.ends)
      ), shrunk as (
        update budget_leases l set amount_nano = l.amount_nano - t.amount, changed_at = clock_timestamp()
          from taken t
          where (l.node_id, l.account_id, l.key_id, l.starts_at_ms, l.ends_at_ms)
              = (t.node_id, t.account_id, t.key_id, t.starts_at_ms, t.ends_at_ms) and t.amount > 0
      ), moved as (
        select p.account_id, p.key_id, p.starts_at_ms, p.ends_at_ms, c.cost, 0 as ended
          from charges c join budget_spending p
            on p.account_id = c.account and (p.key_id = '' or p.key_id = c.key)
              and p.starts_at_ms <= c.counted_ms and c.counted_ms < p.ends_at_ms
        union all
        select account_id, key_id, starts_at_ms, ends_at_ms, 0, amount from taken
      )
      update budget_spending p set spent_nano = p.spent_nano + m.cost, leased_nano = p.leased_nano - m.ended
        from (
          select account_id, key_id, starts_at_ms, ends_at_ms, sum(cost) as cost, sum(ended) as ended
            from moved group by 1, 2, 3, 4
        ) m
        where (p.account_id, p.key_id, p.starts_at_ms, p.ends_at_ms)
            = (m.account_id, m.key_id, m.starts_at_ms, m.ends_at_ms);
    end
  $$;
CREATE FUNCTION public.ledger_end_expired_node(OUT ended text, OUT returned numeric) RETURNS record
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
    begin
      loop
        -- Waits for whoever is ending it just now: only then is what it held there to be leased.
        select node_id into ended from nodes where expires_at < clock_timestamp() order by node_id limit 1 for update;
        if found then
          returned := ledger_end_node(ended);
          return;
        end if;
        exit when not exists (select from nodes where expires_at < clock_timestamp());
      end loop;
    end
  $$;
CREATE FUNCTION public.ledger_end_expired_node_2(OUT ended text, OUT returned numeric) RETURNS record
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
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
CREATE FUNCTION public.ledger_end_node(for_node text) RETURNS numeric
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
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
CREATE FUNCTION public.ledger_end_node_2(for_node text) RETURNS numeric
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
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
CREATE FUNCTION public.ledger_give_back(for_node text, for_account text, for_key text, as_operation bigint, amount bigint) RETURNS void
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
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
CREATE FUNCTION public.ledger_give_back_budget(for_node text, for_account text, for_key text, starts bigint, ends bigint, as_operation bigint, amount bigint) RETURNS void
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
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
CREATE FUNCTION public.ledger_hold(new_hold text, for_account text, for_key text, of_balance bigint, of_limit bigint, key_limit bigint, with_terms text, happened_at_ms bigint, to_expire_at_ms bigint) RETURNS text
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
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
CREATE FUNCTION public.ledger_hold_2(new_hold text, for_account text, for_key text, of_balance bigint, of_limit bigint, key_limit bigint, with_terms text, happened_at_ms bigint, to_expire_at_ms bigint, with_budgets text) RETURNS text
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
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
CREATE FUNCTION public.ledger_lease(for_node text, for_account text, for_key text, as_operation bigint, wanted bigint, at_least bigint, key_limit bigint, OUT granted bigint, OUT others_expired boolean) RETURNS record
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
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
CREATE FUNCTION public.ledger_lease_budget(for_node text, for_account text, for_key text, starts bigint, ends bigint, as_operation bigint, wanted bigint, at_least bigint, budget bigint, OUT granted bigint, OUT others_expired boolean) RETURNS record
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
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
CREATE FUNCTION public.ledger_refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    begin
      raise exception 'entries of the ledger are never changed or deleted: append an adjustment';
    end
  $$;
CREATE FUNCTION public.ledger_release_hold(of_hold text, happened_at_ms bigint, OUT ended text, OUT charged bigint) RETURNS record
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
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
CREATE FUNCTION public.ledger_settle_hold(of_hold text, cost bigint, happened_at_ms bigint, OUT ended text, OUT charged bigint) RETURNS record
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
  declare
    held holds%rowtype;
    free bigint;
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
    if charged > 0 then
      insert into ledger_entries (idempotency_key, account_id, key_id, kind, amount_nano, request_id, at_ms)
        values ('charge:' || of_hold, held.account_id, held.key_id, 'charge', -charged, of_hold, happened_at_ms);
      update balances set balance_nano = balance_nano - charged where account_id = held.account_id;
      if held.key_id is not null then
        insert into key_spending (account_id, key_id) values (held.account_id, held.key_id) on conflict do nothing;
        update key_spending set spent_nano = spent_nano + charged
          where account_id = held.account_id and key_id = held.key_id;
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
CREATE FUNCTION public.ledger_settle_hold_2(of_hold text, cost bigint, happened_at_ms bigint, of_model text, of_channel text, with_status integer, with_tags text[], OUT ended text, OUT charged bigint) RETURNS record
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET "switchyard.counts_charges" TO 'yes'
    AS $$
    declare
      held holds%rowtype;
      part record;
      free bigint;
      counted bigint;
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
        counted := case when held.budgets is null then happened_at_ms else held.at_ms end;
        insert into ledger_entries (
          idempotency_key, account_id, key_id, kind, amount_nano, request_id, at_ms, counted_at_ms
        ) values (
          'charge:' || of_hold, held.account_id, held.key_id, 'charge', -charged, of_hold, happened_at_ms,
          case when held.budgets is not null then counted end
        );
        update balances set balance_nano = balance_nano - charged where account_id = held.account_id;
        if held.key_id is not null then
          insert into key_spending (account_id, key_id) values (held.account_id, held.key_id) on conflict do nothing;
          update key_spending set spent_nano = spent_nano + charged
            where account_id = held.account_id and key_id = held.key_id;
        end if;
        update budget_spending set spent_nano = spent_nano + charged
          where account_id = held.account_id and (key_id = '' or key_id = held.key_id)
            and starts_at_ms <= counted and counted < ends_at_ms;
        insert into usage_deltas (at_ms, account_id, key_id, model_id, channel_id, status, tag, cost_nano)
          select happened_at_ms, held.account_id, coalesce(held.key_id, ''), of_model, of_channel, with_status, tag, charged
            from unnest(array_prepend('', with_tags)) tag;
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
CREATE FUNCTION public.responses_counted() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
  begin
    insert into response_usage as known
    select account_id, count(*), sum(octet_length(sealed_input) + octet_length(sealed_response))
    from changed group by account_id order by account_id
    on conflict (account_id) do update
    set responses = known.responses + excluded.responses, bytes = known.bytes + excluded.bytes;
    return null;
  end $$;
CREATE FUNCTION public.responses_discounted() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
  begin
    perform 1 from response_usage where account_id in (select account_id from changed) order by account_id for update;
    update response_usage as known
    set responses = known.responses - gone.responses, bytes = known.bytes - gone.bytes
    from (
      select account_id, count(*) as responses, sum(octet_length(sealed_input) + octet_length(sealed_response)) as bytes
      from changed group by account_id
    ) as gone
    where known.account_id = gone.account_id;
    return null;
  end $$;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE public.account_changes (
    account_id text NOT NULL COLLATE pg_catalog."C",
    version bigint NOT NULL
);
CREATE TABLE public.accounts (
    id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    role text NOT NULL,
    admin smallint NOT NULL,
    billing text NOT NULL,
    requests_per_minute double precision,
    tokens_per_minute double precision,
    max_concurrent double precision,
    strategy text,
    created_at_ms double precision NOT NULL,
    origin text NOT NULL,
    archived_at_ms double precision,
    cache text,
    budget_nano_usd text,
    budget_per text,
    budget_time_zone text,
    capture text DEFAULT 'none'::text NOT NULL
);
CREATE TABLE public.alert_deliveries (
    sequence bigint NOT NULL,
    id text NOT NULL COLLATE pg_catalog."C",
    owner text NOT NULL COLLATE pg_catalog."C",
    event_id text NOT NULL COLLATE pg_catalog."C",
    target_id text NOT NULL COLLATE pg_catalog."C",
    state text NOT NULL COLLATE pg_catalog."C",
    attempts integer NOT NULL,
    claim integer NOT NULL,
    next_attempt_at_ms bigint,
    last_status integer,
    last_error text,
    last_attempt_at_ms bigint,
    last_duration_ms bigint,
    created_at_ms bigint NOT NULL,
    CONSTRAINT alert_deliveries_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text])))
);
ALTER TABLE public.alert_deliveries ALTER COLUMN sequence ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.alert_deliveries_sequence_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.alert_events (
    sequence bigint NOT NULL,
    id text NOT NULL COLLATE pg_catalog."C",
    owner text NOT NULL COLLATE pg_catalog."C",
    type text NOT NULL COLLATE pg_catalog."C",
    rule_id text COLLATE pg_catalog."C",
    at_ms bigint NOT NULL,
    body text NOT NULL
);
ALTER TABLE public.alert_events ALTER COLUMN sequence ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.alert_events_sequence_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.alert_leader (
    one integer NOT NULL,
    holder text NOT NULL,
    until_ms bigint NOT NULL,
    CONSTRAINT alert_leader_one_check CHECK ((one = 1))
);
CREATE TABLE public.alert_rules (
    owner text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    enabled boolean NOT NULL,
    condition text NOT NULL,
    accounts text,
    targets text,
    repeat_ms bigint,
    origin text NOT NULL,
    created_at_ms bigint NOT NULL,
    updated_at_ms bigint NOT NULL
);
CREATE TABLE public.alert_states (
    owner text NOT NULL COLLATE pg_catalog."C",
    rule_id text NOT NULL COLLATE pg_catalog."C",
    subject text NOT NULL COLLATE pg_catalog."C",
    status text NOT NULL,
    since_ms bigint NOT NULL,
    period_start_ms bigint,
    told_at_ms bigint NOT NULL,
    version integer NOT NULL,
    CONSTRAINT alert_states_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'raised'::text])))
);
CREATE TABLE public.alert_targets (
    owner text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL,
    name text NOT NULL,
    enabled boolean NOT NULL,
    sealed text NOT NULL,
    failing_since_ms bigint,
    disabled_at_ms bigint,
    disabled_reason text,
    origin text NOT NULL,
    created_at_ms bigint NOT NULL,
    updated_at_ms bigint NOT NULL,
    CONSTRAINT alert_targets_kind_check CHECK ((kind = ANY (ARRAY['webhook'::text, 'mail'::text])))
);
CREATE TABLE public.audit_log (
    sequence bigint NOT NULL,
    at_ms bigint NOT NULL,
    actor_kind text NOT NULL,
    actor_id text COLLATE pg_catalog."C",
    actor_name text NOT NULL,
    address text,
    request_id text,
    action text NOT NULL COLLATE pg_catalog."C",
    account_id text COLLATE pg_catalog."C",
    object_id text NOT NULL COLLATE pg_catalog."C",
    before text,
    after text
);
ALTER TABLE public.audit_log ALTER COLUMN sequence ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.audit_log_sequence_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.balances (
    account_id text NOT NULL COLLATE pg_catalog."C",
    balance_nano bigint DEFAULT 0 NOT NULL,
    leased_nano bigint DEFAULT 0 NOT NULL,
    CONSTRAINT balances_leased_nano_check CHECK ((leased_nano >= 0))
)
WITH (fillfactor='50');
CREATE TABLE public.budget_leases (
    node_id text NOT NULL COLLATE pg_catalog."C",
    account_id text NOT NULL COLLATE pg_catalog."C",
    key_id text NOT NULL COLLATE pg_catalog."C",
    starts_at_ms bigint NOT NULL,
    ends_at_ms bigint NOT NULL,
    amount_nano bigint NOT NULL,
    operation bigint NOT NULL,
    granted_nano bigint NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    CONSTRAINT budget_leases_amount_nano_check CHECK ((amount_nano >= 0))
)
WITH (fillfactor='50');
CREATE TABLE public.budget_spending (
    account_id text NOT NULL COLLATE pg_catalog."C",
    key_id text NOT NULL COLLATE pg_catalog."C",
    starts_at_ms bigint NOT NULL,
    ends_at_ms bigint NOT NULL,
    spent_nano bigint NOT NULL,
    leased_nano bigint DEFAULT 0 NOT NULL,
    CONSTRAINT budget_spending_leased_nano_check CHECK ((leased_nano >= 0))
)
WITH (fillfactor='50');
CREATE TABLE public.cache_reports (
    row_id bigint NOT NULL,
    id text NOT NULL COLLATE pg_catalog."C",
    entry_id text NOT NULL COLLATE pg_catalog."C",
    cache_key text NOT NULL COLLATE pg_catalog."C",
    account_id text NOT NULL COLLATE pg_catalog."C",
    key_id text NOT NULL COLLATE pg_catalog."C",
    model_id text NOT NULL,
    type text NOT NULL,
    sealed_description bytea,
    at_ms bigint NOT NULL,
    invalidated_at_ms bigint,
    CONSTRAINT cache_reports_type_check CHECK ((type = ANY (ARRAY['wrong_answer'::text, 'outdated'::text, 'incomplete'::text, 'unsafe'::text, 'other'::text])))
);
ALTER TABLE public.cache_reports ALTER COLUMN row_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.cache_reports_row_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.capture_sums (
    account_id text NOT NULL COLLATE pg_catalog."C",
    bytes bigint NOT NULL
);
CREATE TABLE public.captures (
    request_id text NOT NULL COLLATE pg_catalog."C",
    account_id text NOT NULL COLLATE pg_catalog."C",
    at_ms bigint NOT NULL,
    bytes bigint NOT NULL,
    facts text NOT NULL,
    request bytea NOT NULL,
    answer bytea NOT NULL
);
ALTER TABLE ONLY public.captures ALTER COLUMN request SET STORAGE EXTERNAL;
ALTER TABLE ONLY public.captures ALTER COLUMN answer SET STORAGE EXTERNAL;
CREATE TABLE public.channel_health (
    channel_id text NOT NULL COLLATE pg_catalog."C",
    upstream_model text NOT NULL COLLATE pg_catalog."C",
    state text NOT NULL,
    available_at_ms double precision,
    openings double precision NOT NULL,
    requests double precision NOT NULL,
    failures double precision NOT NULL,
    last_failure text,
    last_failure_at_ms double precision,
    first_byte_ms double precision,
    updated_at_ms double precision NOT NULL
);
CREATE TABLE public.channels (
    id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    provider text NOT NULL,
    base_url text,
    sealed_api_key text,
    settings text NOT NULL,
    formats text,
    priority double precision NOT NULL,
    weight double precision NOT NULL,
    owner text COLLATE pg_catalog."C",
    timeouts text NOT NULL,
    models text NOT NULL,
    costs text NOT NULL,
    breaker text,
    enabled smallint NOT NULL,
    block_at_ms double precision,
    block_reason text,
    reset_at_ms double precision,
    origin text NOT NULL
);
CREATE TABLE public.credentials (
    account_id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    secret_hash text NOT NULL,
    preview text NOT NULL,
    limit_nano_usd text,
    models text,
    requests_per_minute double precision,
    expires_at_ms double precision,
    created_at_ms double precision NOT NULL,
    revoked_at_ms double precision,
    origin text NOT NULL,
    budget_nano_usd text,
    budget_per text,
    budget_time_zone text,
    scopes text,
    previous_secret_hash text,
    previous_secret_ends_at_ms double precision
);
CREATE TABLE public.directory_version (
    version bigint NOT NULL,
    access_version bigint DEFAULT 0 NOT NULL
);
CREATE TABLE public.gateway_nodes (
    id text NOT NULL COLLATE pg_catalog."C",
    host_name text NOT NULL,
    process_id double precision NOT NULL,
    version text NOT NULL,
    access_version double precision NOT NULL,
    serving_version double precision NOT NULL,
    started_at_ms double precision NOT NULL,
    last_seen_at_ms double precision NOT NULL
);
CREATE TABLE public.held_charges (
    request_id text NOT NULL COLLATE pg_catalog."C",
    account_id text NOT NULL COLLATE pg_catalog."C",
    key_id text COLLATE pg_catalog."C",
    model_id text NOT NULL,
    channel_id text,
    amount_nano bigint NOT NULL,
    plausible_nano bigint NOT NULL,
    prompt_tokens bigint NOT NULL,
    completion_tokens bigint NOT NULL,
    at_ms bigint NOT NULL,
    state text NOT NULL,
    CONSTRAINT held_charges_state_check CHECK ((state = ANY (ARRAY['open'::text, 'settled'::text, 'dismissed'::text])))
);
CREATE TABLE public.holds (
    hold_id text NOT NULL COLLATE pg_catalog."C",
    account_id text NOT NULL COLLATE pg_catalog."C",
    key_id text COLLATE pg_catalog."C",
    from_balance_nano bigint,
    from_limit_nano bigint,
    key_limit_nano bigint,
    terms text NOT NULL,
    at_ms bigint NOT NULL,
    expires_at_ms bigint NOT NULL,
    state text DEFAULT 'open'::text NOT NULL,
    charged_nano bigint DEFAULT 0 NOT NULL,
    closed_at_ms bigint,
    budgets text,
    CONSTRAINT holds_charged_nano_check CHECK ((charged_nano >= 0)),
    CONSTRAINT holds_from_balance_nano_check CHECK ((from_balance_nano >= 0)),
    CONSTRAINT holds_from_limit_nano_check CHECK ((from_limit_nano >= 0)),
    CONSTRAINT holds_state_check CHECK ((state = ANY (ARRAY['open'::text, 'settled'::text, 'released'::text])))
);
CREATE TABLE public.idempotent_requests (
    scope text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    fingerprint text NOT NULL,
    at_ms bigint NOT NULL,
    sealed_answer bytea
);
CREATE TABLE public.invitations (
    row_id bigint NOT NULL,
    id text NOT NULL COLLATE pg_catalog."C",
    token_hash text NOT NULL COLLATE pg_catalog."C",
    purpose text NOT NULL COLLATE pg_catalog."C",
    email text COLLATE pg_catalog."C",
    proves_email boolean NOT NULL,
    account_id text COLLATE pg_catalog."C",
    role text,
    operator boolean NOT NULL,
    user_id text COLLATE pg_catalog."C",
    created_by text NOT NULL COLLATE pg_catalog."C",
    created_at_ms bigint NOT NULL,
    expires_at_ms bigint NOT NULL,
    used_at_ms bigint,
    used_by text COLLATE pg_catalog."C",
    revoked_at_ms bigint,
    CONSTRAINT invitations_purpose_check CHECK ((purpose = ANY (ARRAY['join'::text, 'first_operator'::text, 'registration'::text, 'reset'::text]))),
    CONSTRAINT invitations_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'member'::text, 'viewer'::text])))
);
ALTER TABLE public.invitations ALTER COLUMN row_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.invitations_row_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.key_spending (
    account_id text NOT NULL COLLATE pg_catalog."C",
    key_id text NOT NULL COLLATE pg_catalog."C",
    spent_nano bigint DEFAULT 0 NOT NULL,
    leased_nano bigint DEFAULT 0 NOT NULL,
    CONSTRAINT key_spending_leased_nano_check CHECK ((leased_nano >= 0)),
    CONSTRAINT key_spending_spent_nano_check CHECK ((spent_nano >= 0))
)
WITH (fillfactor='50');
CREATE TABLE public.key_use (
    account_id text NOT NULL COLLATE pg_catalog."C",
    key_id text NOT NULL COLLATE pg_catalog."C",
    last_used_at_ms double precision NOT NULL
);
CREATE TABLE public.kysely_migration (
    name character varying(255) NOT NULL,
    "timestamp" character varying(255) NOT NULL
);
CREATE TABLE public.kysely_migration_lock (
    id character varying(255) NOT NULL,
    is_locked integer DEFAULT 0 NOT NULL
);
CREATE TABLE public.leases (
    node_id text NOT NULL COLLATE pg_catalog."C",
    account_id text NOT NULL COLLATE pg_catalog."C",
    key_id text NOT NULL COLLATE pg_catalog."C",
    amount_nano bigint NOT NULL,
    operation bigint NOT NULL,
    granted_nano bigint NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    CONSTRAINT leases_amount_nano_check CHECK ((amount_nano >= 0))
)
WITH (fillfactor='50');
CREATE TABLE public.ledger_entries (
    sequence bigint NOT NULL,
    idempotency_key text NOT NULL COLLATE pg_catalog."C",
    account_id text NOT NULL COLLATE pg_catalog."C",
    key_id text COLLATE pg_catalog."C",
    kind text NOT NULL,
    amount_nano bigint NOT NULL,
    request_id text COLLATE pg_catalog."C",
    at_ms bigint NOT NULL,
    note text,
    counted_at_ms bigint,
    CONSTRAINT ledger_entries_check CHECK (
CASE kind
    WHEN 'grant'::text THEN (amount_nano >= 0)
    WHEN 'refund'::text THEN (amount_nano >= 0)
    WHEN 'charge'::text THEN ((amount_nano <= 0) AND (request_id IS NOT NULL))
    ELSE (kind = 'adjustment'::text)
END)
);
ALTER TABLE public.ledger_entries ALTER COLUMN sequence ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.ledger_entries_sequence_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.memberships (
    user_id text NOT NULL COLLATE pg_catalog."C",
    account_id text NOT NULL COLLATE pg_catalog."C",
    role text NOT NULL,
    created_at_ms bigint NOT NULL,
    CONSTRAINT memberships_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'member'::text, 'viewer'::text])))
);
CREATE TABLE public.models (
    id text NOT NULL COLLATE pg_catalog."C",
    category text,
    owned_by text,
    status text NOT NULL,
    pricing text,
    strategy text,
    tags text,
    created_at_ms double precision NOT NULL,
    origin text NOT NULL,
    status_stated smallint DEFAULT 0 NOT NULL,
    name text,
    description text,
    capabilities text,
    operations text,
    cache text
);
CREATE TABLE public.nodes (
    node_id text NOT NULL COLLATE pg_catalog."C",
    expires_at timestamp with time zone NOT NULL
);
CREATE TABLE public.object_origins (
    account_id text NOT NULL,
    object_id text NOT NULL,
    channel_id text,
    response_id text,
    expires_at_ms double precision NOT NULL
);
CREATE TABLE public.request_log (
    id bigint NOT NULL,
    request_id text,
    at_ms double precision,
    account_id text,
    key_id text,
    format text,
    model_id text,
    channel_id text,
    provider text,
    upstream_model text,
    stream smallint,
    status double precision,
    error_code text,
    failure_kind text,
    client_gone smallint,
    retry_count double precision,
    latency_ms double precision,
    first_byte_ms double precision,
    input_tokens double precision,
    cached_input_tokens double precision,
    cache_write_tokens double precision,
    output_tokens double precision,
    reasoning_tokens double precision,
    usage_source text,
    upstream_request_id text,
    failed_attempts text,
    cost_nano numeric,
    is_private smallint,
    answer_model text,
    other_quantities text,
    cache_match text,
    cache_entry_id text,
    tags text,
    losses text,
    story text
);
ALTER TABLE public.request_log ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.request_log_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.response_usage (
    account_id text NOT NULL COLLATE pg_catalog."C",
    responses bigint NOT NULL,
    bytes bigint NOT NULL
);
CREATE TABLE public.responses (
    row_id bigint NOT NULL,
    account_id text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    created_at_ms double precision NOT NULL,
    expires_at_ms double precision NOT NULL,
    previous_id text COLLATE pg_catalog."C",
    channel_id text,
    upstream_stored smallint NOT NULL,
    sealed_input bytea NOT NULL,
    sealed_response bytea NOT NULL
);
ALTER TABLE public.responses ALTER COLUMN row_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.responses_row_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.retired_secrets (
    secret_hash text NOT NULL COLLATE pg_catalog."C",
    account_id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    credential_id text NOT NULL COLLATE pg_catalog."C",
    number bigint NOT NULL
);
ALTER TABLE public.retired_secrets ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.retired_secrets_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.secret_check (
    sealed text NOT NULL
);
CREATE TABLE public.settings (
    section text NOT NULL,
    words text NOT NULL
);
CREATE TABLE public.sign_in_attempts (
    key text NOT NULL COLLATE pg_catalog."C",
    count integer NOT NULL,
    window_ends_at_ms bigint NOT NULL
);
CREATE TABLE public.sign_in_credentials (
    id text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C",
    provider_id text NOT NULL COLLATE pg_catalog."C",
    account_id text NOT NULL COLLATE pg_catalog."C",
    password text,
    access_token text,
    refresh_token text,
    id_token text,
    access_token_expires_at timestamp with time zone,
    refresh_token_expires_at timestamp with time zone,
    scope text,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL
);
CREATE TABLE public.sign_in_passkeys (
    id text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C",
    name text,
    public_key text NOT NULL,
    credential_id text NOT NULL COLLATE pg_catalog."C",
    counter integer NOT NULL,
    device_type text NOT NULL,
    backed_up boolean NOT NULL,
    transports text,
    aaguid text,
    created_at timestamp with time zone
);
CREATE TABLE public.sign_in_sessions (
    id text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C",
    token text NOT NULL COLLATE pg_catalog."C",
    second_factor boolean DEFAULT false NOT NULL,
    ip_address text,
    user_agent text,
    expires_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL
);
CREATE TABLE public.sign_in_two_factors (
    id text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C",
    secret text NOT NULL COLLATE pg_catalog."C",
    backup_codes text NOT NULL,
    verified boolean DEFAULT true,
    failed_verification_count integer DEFAULT 0,
    locked_until timestamp with time zone,
    last_used_step bigint
);
CREATE TABLE public.sign_in_verifications (
    id text NOT NULL COLLATE pg_catalog."C",
    identifier text NOT NULL COLLATE pg_catalog."C",
    value text NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL
);
CREATE TABLE public.success_snapshot (
    id smallint NOT NULL,
    at_ms double precision,
    window_ms double precision,
    counts text,
    claimed_at_ms double precision,
    CONSTRAINT success_snapshot_id_check CHECK ((id = 1))
);
CREATE TABLE public.synced_models (
    provider text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    facts text NOT NULL,
    source text NOT NULL
);
CREATE TABLE public.task_owners (
    owner text NOT NULL COLLATE pg_catalog."C",
    alive_until_ms bigint NOT NULL
);
CREATE TABLE public.tasks (
    id text NOT NULL COLLATE pg_catalog."C",
    request_id text NOT NULL,
    account_id text NOT NULL COLLATE pg_catalog."C",
    key_id text COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    model_id text NOT NULL,
    created_at_ms bigint NOT NULL,
    deadline_ms bigint NOT NULL,
    stage text NOT NULL COLLATE pg_catalog."C",
    is_processing smallint NOT NULL,
    progress bigint,
    channel_id text COLLATE pg_catalog."C",
    provider text COLLATE pg_catalog."C",
    upstream_model text,
    wire text,
    is_private smallint,
    asked text,
    submitted_at_ms bigint,
    poll_errors bigint NOT NULL,
    last_poll_error text,
    kept text NOT NULL,
    cost_nano bigint,
    ended_at_ms bigint,
    expires_at_ms bigint,
    owner text COLLATE pg_catalog."C",
    claim bigint NOT NULL,
    sealed_ticket bytea,
    sealed_ending bytea,
    tags text,
    CONSTRAINT tasks_stage_check CHECK ((stage = ANY (ARRAY['created'::text, 'submitting'::text, 'submitted'::text, 'closing'::text, 'completed'::text, 'failed'::text])))
)
WITH (fillfactor='85');
CREATE TABLE public.token_use (
    account_id text NOT NULL COLLATE pg_catalog."C",
    key_id text NOT NULL COLLATE pg_catalog."C",
    last_used_at_ms double precision NOT NULL
);
CREATE TABLE public.usage_deltas (
    id bigint NOT NULL,
    at_ms bigint NOT NULL,
    account_id text NOT NULL COLLATE pg_catalog."C",
    key_id text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    model_id text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    channel_id text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    status integer DEFAULT 0 NOT NULL,
    tag text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    requests bigint DEFAULT 0 NOT NULL,
    errors bigint DEFAULT 0 NOT NULL,
    cache_hits bigint DEFAULT 0 NOT NULL,
    input_tokens bigint DEFAULT 0 NOT NULL,
    cached_input_tokens bigint DEFAULT 0 NOT NULL,
    cache_write_tokens bigint DEFAULT 0 NOT NULL,
    output_tokens bigint DEFAULT 0 NOT NULL,
    reasoning_tokens bigint DEFAULT 0 NOT NULL,
    latency_ms_sum bigint DEFAULT 0 NOT NULL,
    first_byte_ms_sum bigint DEFAULT 0 NOT NULL,
    first_byte_count bigint DEFAULT 0 NOT NULL,
    cost_nano bigint DEFAULT 0 NOT NULL,
    latency_ms_max bigint DEFAULT 0 NOT NULL,
    saved_nano bigint DEFAULT 0 NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='20000');
ALTER TABLE public.usage_deltas ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.usage_deltas_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.usage_rollups (
    level text NOT NULL COLLATE pg_catalog."C",
    bucket_ms bigint NOT NULL,
    account_id text NOT NULL COLLATE pg_catalog."C",
    key_id text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    model_id text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    channel_id text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    status integer DEFAULT 0 NOT NULL,
    tag text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    requests bigint DEFAULT 0 NOT NULL,
    errors bigint DEFAULT 0 NOT NULL,
    cache_hits bigint DEFAULT 0 NOT NULL,
    input_tokens bigint DEFAULT 0 NOT NULL,
    cached_input_tokens bigint DEFAULT 0 NOT NULL,
    cache_write_tokens bigint DEFAULT 0 NOT NULL,
    output_tokens bigint DEFAULT 0 NOT NULL,
    reasoning_tokens bigint DEFAULT 0 NOT NULL,
    latency_ms_sum bigint DEFAULT 0 NOT NULL,
    first_byte_ms_sum bigint DEFAULT 0 NOT NULL,
    first_byte_count bigint DEFAULT 0 NOT NULL,
    cost_nano bigint DEFAULT 0 NOT NULL,
    latency_ms_max bigint DEFAULT 0 NOT NULL,
    saved_nano bigint DEFAULT 0 NOT NULL,
    CONSTRAINT usage_rollups_level_check CHECK ((level = ANY (ARRAY['minute'::text, 'hour'::text, 'day'::text])))
)
WITH (fillfactor='80');
CREATE TABLE public.users (
    id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    email text NOT NULL COLLATE pg_catalog."C",
    email_verified boolean DEFAULT false NOT NULL,
    image text,
    two_factor_enabled boolean DEFAULT false,
    operator boolean DEFAULT false NOT NULL,
    disabled_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL
);
CREATE TABLE public.write_probe (
    id smallint NOT NULL,
    at_ms bigint NOT NULL,
    CONSTRAINT write_probe_id_check CHECK ((id = 1))
)
WITH (fillfactor='10');
INSERT INTO public.account_changes VALUES
	('default', 6),
	('acme', 11);
INSERT INTO public.accounts VALUES
	('default', 'Default', 'VIP', 1, 'unlimited', NULL, NULL, NULL, NULL, 1795953384963, 'operator', NULL, NULL, NULL, NULL, NULL, 'none'),
	('acme', 'Acme Corporation', 'User', 0, 'prepaid', NULL, NULL, NULL, NULL, 1795953385662, 'operator', NULL, NULL, NULL, NULL, NULL, 'none');
INSERT INTO public.alert_rules VALUES
	('acme', 'rule_ufwDl6Ml6nISE1h8yLAevLpU', 'Low balance', true, '{"kind":"balance_below","thresholdNanoUsd":"5000000000"}', NULL, NULL, NULL, 'operator', 1795953386040, 1795953386040);
INSERT INTO public.alert_targets VALUES
	('acme', 'hook_CZmL7pKM1HqGb1gl00OfBC4y', 'webhook', 'Ops', true, 'v1.pmOojPtLBs5LLsUsjJY7lJtTLyM8YOvUrJZjNzSv3L7KZqbaSxnexS-OeZasULJqujXH_e7WDpukbcncJ1Qxjl6Lng4qVb3WJ1VcxMl61WizNnF9nmOLVIgMPrxjiCqvYF5FTKtq7suJjsVfxKLn5IB0YZ34Rfil5cPynfcYML3LY7QMmiWgrwAoDILswNlm-P9GDvybzdG1CZZzmV_-gZVu', NULL, NULL, NULL, 'operator', 1795953386022, 1795953386022);
INSERT INTO public.audit_log OVERRIDING SYSTEM VALUE VALUES
	(1, 1795953384538, 'file', NULL, '/tmp/fix/pgdata/../config-pgdata.yaml', NULL, NULL, 'model.create', NULL, 'sandbox-chat', NULL, '{"id":"sandbox-chat","name":null,"description":null,"category":null,"owned_by":null,"status":null,"pricing":{"input_per_1m":"3","output_per_1m":"15"},"strategy":null,"cache":null,"capabilities":null,"operations":null,"tags":null}'),
	(2, 1795953384560, 'environment', NULL, 'start of the gateway', NULL, NULL, 'channel.create', NULL, 'local', NULL, '{"id":"local","name":"Local (within the gateway)","provider":"local","base_url":null,"settings":{},"formats":null,"priority":0,"weight":1,"owner":null,"timeouts":{"connect_ms":3000,"first_byte_ms":600000,"idle_ms":600000,"first_event_ms":120000,"event_idle_ms":120000,"total_ms":1800000,"models":{}},"models":{"universal-sentence-encoder-lite":"universal-sentence-encoder-lite"},"costs":{},"breaker":{"window_ms":30000,"failure_rate":0.5,"minimum_requests":5,"cooldown_ms":2000,"max_cooldown_ms":300000,"probes":3},"api_key_preview":null,"enabled":true,"block":null,"reset_at":null}'),
	(3, 1795953384560, 'environment', NULL, 'start of the gateway', NULL, NULL, 'channel.create', NULL, 'sandbox', NULL, '{"id":"sandbox","name":"Sandbox (synthetic answers)","provider":"sandbox","base_url":null,"settings":{},"formats":null,"priority":0,"weight":1,"owner":null,"timeouts":{"connect_ms":3000,"first_byte_ms":600000,"idle_ms":600000,"first_event_ms":120000,"event_idle_ms":120000,"total_ms":1800000,"models":{}},"models":{"sandbox-chat":"sandbox-chat","sandbox-reasoning":"sandbox-reasoning","sandbox-moderation":"sandbox-moderation","sandbox-embedding":"sandbox-embedding","sandbox-rerank":"sandbox-rerank","sandbox-image":"sandbox-image","sandbox-slow-image":"sandbox-slow-image","sandbox-speech":"sandbox-speech","sandbox-transcription":"sandbox-transcription","sandbox-video":"sandbox-video","sandbox-music":"sandbox-music","sandbox-lyrics":"sandbox-lyrics","sandbox-3d":"sandbox-3d"},"costs":{},"breaker":{"window_ms":30000,"failure_rate":0.5,"minimum_requests":5,"cooldown_ms":2000,"max_cooldown_ms":300000,"probes":3},"api_key_preview":null,"enabled":true,"block":null,"reset_at":null}'),
	(4, 1795953384998, 'gateway', NULL, 'first start', NULL, NULL, 'account.create', 'default', 'default', NULL, '{"id":"default","name":"Default","role":"VIP","admin":true,"billing":"unlimited","requests_per_minute":null,"tokens_per_minute":null,"max_concurrent":null,"budget":null,"strategy":null,"cache":null,"capture":"none","archived_at":null}'),
	(5, 1795953384999, 'gateway', NULL, 'first start', NULL, NULL, 'key.create', 'default', 'key_4wR0C1nGhs', NULL, '{"id":"key_4wR0C1nGhs","name":"First key","limit_usd":null,"budget":null,"models":null,"requests_per_minute":null,"expires_at":null,"preview":"sk-mO…CboZ","revoked_at":null}'),
	(6, 1795953385071, 'gateway', NULL, 'first start', NULL, NULL, 'invitation.create', 'default', 'inv_IlAMWEyBimzxMC9A', NULL, '{"purpose":"first_operator","email":null,"account":"default","role":"owner","operator":true,"user":null,"expires_at":"2026-12-06T11:56:25.071Z"}'),
	(7, 1795953385612, 'command_line', NULL, 'unknown', NULL, NULL, 'token.create', 'default', 'key_JUA9m1xK0o', NULL, '{"id":"key_JUA9m1xK0o","name":"Key","scopes":["*"],"expires_at":null,"preview":"mt-sZ…1ZT7","revoked_at":null}'),
	(8, 1795953385664, 'token', 'default/key_JUA9m1xK0o', 'Key', '127.0.0.1', 'req_01a22729-e0a8-7284-a232-33ef3b641610', 'account.create', 'acme', 'acme', NULL, '{"id":"acme","name":"Acme","role":"User","admin":false,"billing":"prepaid","requests_per_minute":null,"tokens_per_minute":null,"max_concurrent":null,"budget":null,"strategy":null,"cache":null,"capture":"none","archived_at":null}'),
	(9, 1795953385707, 'token', 'default/key_JUA9m1xK0o', 'Key', '127.0.0.1', 'req_01a22729-e0e0-74f2-ab1d-412285c001c9', 'balance.grant', 'acme', 'acme', NULL, '{"kind":"grant","amount_usd":"10.5","note":"the first grant","idempotency_key":"operator:JJUck20pRWIkAgS2mvg7"}'),
	(10, 1795953385735, 'token', 'default/key_JUA9m1xK0o', 'Key', '127.0.0.1', 'req_01a22729-e0ff-7364-b5a8-f23debc44c10', 'key.create', 'acme', 'key_FzapnTnlJH', NULL, '{"id":"key_FzapnTnlJH","name":"laptop","limit_usd":"5","budget":{"usd":"2","per":"month","time_zone":"UTC"},"models":null,"requests_per_minute":null,"expires_at":null,"preview":"sk-re…w7hG","revoked_at":null}'),
	(11, 1795953385767, 'token', 'default/key_JUA9m1xK0o', 'Key', '127.0.0.1', 'req_01a22729-e11d-70e4-af77-b86b63b2123a', 'channel.create', 'acme', 'ch_c0KNLTp7ZCFa97oE', NULL, '{"id":"ch_c0KNLTp7ZCFa97oE","name":"Own channel","provider":"openai","base_url":null,"settings":{},"formats":null,"priority":0,"weight":1,"owner":"acme","timeouts":{"connect_ms":3000,"first_byte_ms":600000,"idle_ms":600000,"first_event_ms":120000,"event_idle_ms":120000,"total_ms":1800000,"models":{}},"models":{"gpt-4o":"gpt-4o"},"costs":{},"breaker":{"window_ms":30000,"failure_rate":0.5,"minimum_requests":5,"cooldown_ms":2000,"max_cooldown_ms":300000,"probes":3},"api_key_preview":"…","enabled":true,"block":null,"reset_at":null}'),
	(12, 1795953386027, 'token', 'default/key_JUA9m1xK0o', 'Key', '127.0.0.1', 'req_01a22729-e224-7018-bd1d-77d0ca51bc91', 'alert_target.create', 'acme', 'hook_CZmL7pKM1HqGb1gl00OfBC4y', NULL, '{"id":"hook_CZmL7pKM1HqGb1gl00OfBC4y","name":"Ops","enabled":true,"type":"webhook","url_preview":"https://hooks.example.com/…","mail":null,"disabled_at":null}'),
	(13, 1795953386044, 'token', 'default/key_JUA9m1xK0o', 'Key', '127.0.0.1', 'req_01a22729-e236-72dd-a558-f91479da3e68', 'alert_rule.create', 'acme', 'rule_ufwDl6Ml6nISE1h8yLAevLpU', NULL, '{"id":"rule_ufwDl6Ml6nISE1h8yLAevLpU","name":"Low balance","enabled":true,"balance_below":{"usd":"5"},"accounts":null,"targets":null,"repeat_minutes":null}'),
	(14, 1795953386086, 'token', 'default/key_JUA9m1xK0o', 'Key', '127.0.0.1', 'req_01a22729-e252-75be-8ed3-d494b0e31e3e', 'settings.change', NULL, 'tasks', '{"keep_days":null}', '{"keep_days":3}'),
	(15, 1795953386122, 'token', 'default/key_JUA9m1xK0o', 'Key', '127.0.0.1', 'req_01a22729-e283-734c-a3a0-5480dd11aadd', 'account.change', 'acme', 'acme', '{"name":"Acme"}', '{"name":"Acme Corporation"}'),
	(16, 1795953390355, 'token', 'default/key_JUA9m1xK0o', 'Key', '127.0.0.1', 'req_01a22729-f302-769c-a99e-1e5213257014', 'balance.adjust', 'acme', 'acme', NULL, '{"kind":"adjustment","amount_usd":"-0.5","note":"a correction","idempotency_key":"operator:oA4mrzFx50wdLq4BgmW6"}');
INSERT INTO public.balances VALUES
	('acme', 9997204000, 0);
INSERT INTO public.budget_spending VALUES
	('acme', 'key_FzapnTnlJH', 1793491200000, 1796083200000, 2796000, 0);
INSERT INTO public.channel_health VALUES
	('sandbox', 'sandbox-chat', 'closed', NULL, 0, 4, 0, NULL, NULL, 4.227401999999984, 1795953387918);
INSERT INTO public.channels VALUES
	('local', 'Local (within the gateway)', 'local', NULL, NULL, '{}', NULL, 0, 1, NULL, '{"connectMs":3000,"firstByteMs":600000,"idleMs":600000,"firstEventMs":120000,"eventIdleMs":120000,"totalMs":1800000,"models":{}}', '{"universal-sentence-encoder-lite":"universal-sentence-encoder-lite"}', '{}', '{"windowMs":30000,"failureRate":0.5,"minimumRequests":5,"cooldownMs":2000,"maxCooldownMs":300000,"probes":3}', 1, NULL, NULL, NULL, 'environment'),
	('sandbox', 'Sandbox (synthetic answers)', 'sandbox', NULL, NULL, '{}', NULL, 0, 1, NULL, '{"connectMs":3000,"firstByteMs":600000,"idleMs":600000,"firstEventMs":120000,"eventIdleMs":120000,"totalMs":1800000,"models":{}}', '{"sandbox-chat":"sandbox-chat","sandbox-reasoning":"sandbox-reasoning","sandbox-moderation":"sandbox-moderation","sandbox-embedding":"sandbox-embedding","sandbox-rerank":"sandbox-rerank","sandbox-image":"sandbox-image","sandbox-slow-image":"sandbox-slow-image","sandbox-speech":"sandbox-speech","sandbox-transcription":"sandbox-transcription","sandbox-video":"sandbox-video","sandbox-music":"sandbox-music","sandbox-lyrics":"sandbox-lyrics","sandbox-3d":"sandbox-3d"}', '{}', '{"windowMs":30000,"failureRate":0.5,"minimumRequests":5,"cooldownMs":2000,"maxCooldownMs":300000,"probes":3}', 1, NULL, NULL, NULL, 'environment'),
	('ch_c0KNLTp7ZCFa97oE', 'Own channel', 'openai', NULL, 'v1.taO23_SplfoWlzBAm-yWAGW6WI3TbbFXutMglnLZNP_J5Qq1E58yVaGkwCmHwi4', '{}', NULL, 0, 1, 'acme', '{"connectMs":3000,"firstByteMs":600000,"idleMs":600000,"firstEventMs":120000,"eventIdleMs":120000,"totalMs":1800000,"models":{}}', '{"gpt-4o":"gpt-4o"}', '{}', '{"windowMs":30000,"failureRate":0.5,"minimumRequests":5,"cooldownMs":2000,"maxCooldownMs":300000,"probes":3}', 1, NULL, NULL, NULL, 'operator');
INSERT INTO public.credentials VALUES
	('default', 'inference', 'key_4wR0C1nGhs', 'First key', '4ba20f7b02f81f2f5e20cb49f39ffc210a1516f146a1ff2994aee8c36a3ce101', 'sk-mO…CboZ', NULL, NULL, NULL, NULL, 1795953384963, NULL, 'operator', NULL, NULL, NULL, NULL, NULL, NULL),
	('default', 'management', 'key_JUA9m1xK0o', 'Key', 'bef1c3a140ab561623ac56fc0d285b795957139f5cc397039c03e27b7e2f7733', 'mt-sZ…1ZT7', NULL, NULL, NULL, NULL, 1795953385601, NULL, 'operator', NULL, NULL, NULL, '["*"]', NULL, NULL),
	('acme', 'inference', 'key_FzapnTnlJH', 'laptop', 'd1b6d292a223a0859d92427e771e55805c07ab5d9b35db947d3f8bf88c5f5dee', 'sk-re…w7hG', '5000000000', NULL, NULL, NULL, 1795953385728, NULL, 'operator', '2000000000', 'month', 'UTC', NULL, NULL, NULL);
INSERT INTO public.directory_version VALUES
	(8, 12);
INSERT INTO public.invitations OVERRIDING SYSTEM VALUE VALUES
	(1, 'inv_IlAMWEyBimzxMC9A', '98f5dad24b1cc03ac6714f5f0cb277d2efb0614ee8d212a59bb090776d03ea17', 'first_operator', NULL, true, 'default', 'owner', true, NULL, 'gateway', 1795953385071, 1796558185071, NULL, NULL, NULL);
INSERT INTO public.key_spending VALUES
	('acme', 'key_FzapnTnlJH', 2796000, 0);
INSERT INTO public.key_use VALUES
	('acme', 'key_FzapnTnlJH', 1795953387118);
INSERT INTO public.kysely_migration VALUES
	('0001-store', '2026-11-29T11:56:23.910Z'),
	('0002-ledger', '2026-11-29T11:56:23.939Z'),
	('0003-catalogue', '2026-11-29T11:56:23.944Z'),
	('0004-success-snapshot', '2026-11-29T11:56:23.948Z'),
	('0005-held-charges', '2026-11-29T11:56:23.954Z'),
	('0006-response-usage', '2026-11-29T11:56:23.960Z'),
	('0007-object-origins', '2026-11-29T11:56:23.965Z'),
	('0008-write-probe', '2026-11-29T11:56:23.967Z'),
	('0009-answer-model', '2026-11-29T11:56:23.968Z'),
	('0010-account-changes', '2026-11-29T11:56:23.984Z'),
	('0011-archived-accounts', '2026-11-29T11:56:23.985Z'),
	('0012-billed-quantities', '2026-11-29T11:56:23.986Z'),
	('0013-holds', '2026-11-29T11:56:23.994Z'),
	('0014-tasks', '2026-11-29T11:56:24.008Z'),
	('0015-cache-hits', '2026-11-29T11:56:24.009Z'),
	('0016-cache-overrides', '2026-11-29T11:56:24.010Z'),
	('0017-cache-reports', '2026-11-29T11:56:24.018Z'),
	('0018-people', '2026-11-29T11:56:24.080Z'),
	('0019-audit', '2026-11-29T11:56:24.094Z'),
	('0020-usage', '2026-11-29T11:56:24.152Z'),
	('0021-budgets', '2026-11-29T11:56:24.167Z'),
	('0022-credentials', '2026-11-29T11:56:24.177Z'),
	('0023-alerts', '2026-11-29T11:56:24.209Z'),
	('0024-captures', '2026-11-29T11:56:24.223Z'),
	('0025-settings', '2026-11-29T11:56:24.227Z'),
	('0026-gateway-nodes', '2026-11-29T11:56:24.231Z'),
	('0027-audit-actions', '2026-11-29T11:56:24.234Z'),
	('0028-request-story', '2026-11-29T11:56:24.235Z'),
	('0029-cache-savings', '2026-11-29T11:56:24.236Z');
INSERT INTO public.kysely_migration_lock VALUES
	('migration_lock', 0);
INSERT INTO public.ledger_entries OVERRIDING SYSTEM VALUE VALUES
	(1, 'operator:JJUck20pRWIkAgS2mvg7', 'acme', NULL, 'grant', 10500000000, NULL, 1795953385704, 'the first grant', NULL),
	(2, 'charge:req_01a22729-e2c6-77f7-897b-21ddd36c3ef7', 'acme', 'key_FzapnTnlJH', 'charge', -672000, 'req_01a22729-e2c6-77f7-897b-21ddd36c3ef7', 1795953386417, NULL, 1795953386228),
	(3, 'charge:req_01a22729-e3e5-7641-93cf-37aa127dcf37', 'acme', 'key_FzapnTnlJH', 'charge', -744000, 'req_01a22729-e3e5-7641-93cf-37aa127dcf37', 1795953387047, NULL, 1795953386470),
	(4, 'charge:req_01a22729-e653-7054-8b39-0d4b4b209049', 'acme', 'key_FzapnTnlJH', 'charge', -690000, 'req_01a22729-e653-7054-8b39-0d4b4b209049', 1795953387097, NULL, 1795953387093),
	(5, 'charge:req_01a22729-e66e-7017-85ea-977e40aecab2', 'acme', 'key_FzapnTnlJH', 'charge', -690000, 'req_01a22729-e66e-7017-85ea-977e40aecab2', 1795953387293, NULL, 1795953387178),
	(6, 'operator:oA4mrzFx50wdLq4BgmW6', 'acme', NULL, 'adjustment', -500000000, NULL, 1795953390346, 'a correction', NULL);
INSERT INTO public.models VALUES
	('sandbox-chat', NULL, NULL, 'public', '{"input_per_1m":"3","output_per_1m":"15"}', NULL, NULL, 1795953384495, 'config', 0, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.object_origins VALUES
	('acme', 'msg_qNSvHzPPN4Dssz7Mu0rQyOr3', NULL, 'resp_E2ruvaatwfGbfd7hhKjpc7pV', 1798545387321);
INSERT INTO public.request_log OVERRIDING SYSTEM VALUE VALUES
	(1, 'req_01a22729-e2c6-77f7-897b-21ddd36c3ef7', 1795953386182, 'acme', 'key_FzapnTnlJH', 'openai-chat', 'sandbox-chat', 'sandbox', 'sandbox', 'sandbox-chat', 0, 200, NULL, NULL, 0, 0, 267.1664649999998, 266.87414899999976, 9, 0, 0, 43, 0, 'reported', NULL, NULL, 672000, 0, NULL, NULL, NULL, NULL, NULL, NULL, '{"p":{"prices":{"input_token":"3","output_token":"15"}},"t":[5.3,null,101,233,200,234.8,266.8]}'),
	(2, 'req_01a22729-e3e5-7641-93cf-37aa127dcf37', 1795953386469, 'acme', 'key_FzapnTnlJH', 'openai-chat', 'sandbox-chat', 'sandbox', 'sandbox', 'sandbox-chat', 1, 200, NULL, NULL, 0, 0, 590.7100909999999, 9.063842000000022, 13, 0, 0, 47, 0, 'reported', NULL, NULL, 744000, 0, NULL, NULL, NULL, NULL, NULL, NULL, '{"p":{"prices":{"input_token":"3","output_token":"15"}},"t":[0.2,null,4.3,5.7,200,577,590.4]}'),
	(3, 'req_01a22729-e653-7054-8b39-0d4b4b209049', 1795953387092, 'acme', 'key_FzapnTnlJH', 'openai-chat', 'sandbox-chat', 'sandbox', 'sandbox', 'sandbox-chat', 0, 200, NULL, NULL, 0, 0, 6.572959000000083, 6.548171999999795, 10, 0, 0, 44, 0, 'reported', NULL, NULL, 690000, 0, NULL, NULL, NULL, NULL, '["team=core"]', NULL, '{"p":{"prices":{"input_token":"3","output_token":"15"}},"t":[0.1,null,3.4,4.5,200,5,6.5]}'),
	(4, 'req_01a22729-e66e-7017-85ea-977e40aecab2', 1795953387118, 'acme', 'key_FzapnTnlJH', 'openai-responses', 'sandbox-chat', 'sandbox', 'sandbox', 'sandbox-chat', 0, 200, NULL, NULL, 0, 0, 204.60279500000024, 204.5680729999999, 10, 0, 0, 44, 0, 'reported', NULL, NULL, 690000, 0, NULL, NULL, NULL, NULL, NULL, NULL, '{"p":{"prices":{"input_token":"3","output_token":"15"}},"t":[0.1,null,163.5,164.4,200,174.7,182.6]}');
INSERT INTO public.response_usage VALUES
	('acme', 1, 1595);
INSERT INTO public.responses OVERRIDING SYSTEM VALUE VALUES
	(1, 'acme', 'resp_E2ruvaatwfGbfd7hhKjpc7pV', 1795953387297, 1798545387297, NULL, 'sandbox', 0, '\x01a9ed6ef3ea9930fba42a29c1fe31fcaba471ea903d2b876641c7d6c0bd6f10ff44abed9ebd9a14f72568b20e655dbf7e7a0e3c0f65c528a780283feb8b6c6d3813c7620fd44fac20282e172d6c44f0a034ef8d607605f45e031d535fc5c2e7f63944fc048529acee9e88262528978e5be55bad7f06f80627a3c2c18d9e1b43319173ab784357b506f8ccb97af1f5f004133e4ad70a3d4adf9a12c24beb3220bca4d79664b2973a1d8748041ceb9ef808cd', '\x012ef1810019638ec8277867d42a7ff804c8a11422b6bc75aae6400c891e249d08454d55c2a4d353db07fff7f8fdd61be0fff0589e34f738b17d77ce66342f1dba579ff73766b5972e10770ff8586fefe687900e99bdfa5de71fd9bed007484e37c6aba98ab8fc26fb4a942c86379a5fd542370cf7f0b6a95cc076b69fb5a32538c87c822047009818c13fb0ca92ea7d36cb7bc5b759f4d28ce974f9ee207d28248123f4790f3ffd1ba52be62cd03297e8a1769b4c7bba59d8dd7cc79e392160f2074b6d15d75154fab221b3c8a012b229c0811dda95562f4bf11f212312d51ea5156f049b4a18f8841cd8fdbf74c42cc2f701e08df6a57ff67f909a75a129fdf470b5b426bcb250991b3f07a1339bf5f25831fe8331078b07800a76de4179a3d0aa2a9ada2865fcd6769473f82bd82f418f89b153b1a24ff617eaabacd64bce2d8e833ad8fced37a630e8b585df86d1fc30da1e62678c08a6cd5fce294aad092c7d554373cf7b8df32a9226ce7254832bf830bac9bd10da30e827ce018c5c2062de5110ebde9f4226ff805a69349131d5f074be0bd3ca06f189c7e0a767579d5399f0f40b866c0f336307cbabb504107153818eeeb2c39d2d5aff15d1dd56abd96ffa77bf9d3bd3e36e831208b7e876aaae247ad5441474989faea3caf41e22cc4505c9bc17dbe2318776b21501305294689c3f69a07997cbd6c79b59c52eb2b5ac0c33d45694bd685ffa42b190142cff2fc60ed389ec195bcebd2b3ab68514913f2b284659c09a49c3642abcab7a06d17c85542efee65858a56dc3cde61ddcc1fe27a3668391b2d4fd39e2462dc209806e2d8cc755428b9369a77db3f6ab5661621244946af04b091b096c0324f2209529ee6dfbf04cebdf59dc081d3730a403085f97b95dd5f715b79f863ba624398f1640a378ad0c9d4f3de78392b5821c828cf3201892ce5778dbb4cd337b25bbb8cc0fc9ec983d6343d4ab3df356e961b7ea704189611d4e86babe4259a8239b8e6b2bc92a98c5953ba2a84ac2d90f2df7c7d6e0906f52ffe3983b7e3892c8167036aa2e4c0be156b0d051772099232bfeb410521c7762d341f305d4dd7d686c2d57c563cdcf27924d25fde58ae8dd2a53f9b0e7f2328a327d526fb98d339174fd5ea32a31127469919037cfde697c256217abfce7af453eb744a00f68d0c5ffb5bf4c370ffeb001ec04124359a47b1a24790913a5a3e2358c63f69cb9a22a79f56a5e64a2a4af1f90ce8c3c9a4e7f1cf1bc346f78cc00f86d05c29ca6a385ff1bee491a213ea5c8c5ce6278ff460949db7f30a0f6d10b24bcf049e51d2dbd6adc5a49c1849740eab1c12514d778694361c2e70eb6182eaa93af088a21ede0572168bea1c5f33a5eeda6658cbfee19ac8070dbc8e2c088692ffafa90d29efd6fba9a3fdd929908ffe2c21851fab579d09d4118011f7b1ea1b2fb89170c50f765f607c1fd42f474b54e9bada69bd3da4c6281ef0cbea20032e16b07f3ff15c025a31e0a3ce07d30d44feb823d6c3b80d41f24d9cb763bd79baea2d7ee4401d4a53b455b3bd778684257bf7e211f9f6f09db7ffdda5ec57e01798ca3add0ecf56d8ddac8c9bb88dc8bc6bdc6db9f85de6f7d652914a4ac80a5b2c2a65b8f36b87ce8ad6030c730f8abb3c43776325528f192329a932af9b49c04d3c5337d920ee33b8f08ed900c1e4820a38ac60d956c90f72f58ab2fccd72b4b1976e82195aa87e000f206c72016f726bc029eec34ace6bfac3b50120e8958a3d99b4989f676a68e34fef4198b4d192c2eda1085d9aeae6d8927c4e795da14a5e83f562c0454a7c5dc8213f59a0f5b93bcff56fbb9890205eb3aec4f6fbfd9160858891eb992bd9e350da87f714d2eb0bce604bae4716d8d875421fb20de460ed74ae61e42d382855728662b305a5834b8837da3f5bf506f8adf121a2378844492b825e98bcd2a577315324f5c4ea813e4d110d811863df93698c30eea68eac9');
INSERT INTO public.secret_check VALUES
	('v1.4l3z5jMsavLeKbSWFk87IaOPvG95jr3-uBvzkIzi8xfcAc16Fns');
INSERT INTO public.settings VALUES
	('tasks', '{"keep_days":3}');
INSERT INTO public.success_snapshot VALUES
	(1, 1795953384913, 86400000, '[]', NULL);
INSERT INTO public.token_use VALUES
	('default', 'key_JUA9m1xK0o', 1795953390416);
INSERT INTO public.usage_rollups VALUES
	('day', 1795910400000, 'acme', 'key_FzapnTnlJH', 'sandbox-chat', 'sandbox', 200, '', 4, 0, 0, 42, 0, 0, 178, 0, 1070, 488, 4, 2796000, 591, 0),
	('hour', 1795950000000, '', '', 'sandbox-chat', 'sandbox', 200, '', 4, 0, 0, 42, 0, 0, 178, 0, 1070, 488, 4, 2796000, 591, 0),
	('minute', 1795953360000, 'acme', 'key_FzapnTnlJH', 'sandbox-chat', 'sandbox', 200, '', 4, 0, 0, 42, 0, 0, 178, 0, 1070, 488, 4, 2796000, 591, 0),
	('minute', 1795953360000, 'acme', 'key_FzapnTnlJH', 'sandbox-chat', 'sandbox', 200, 'team=core', 1, 0, 0, 10, 0, 0, 44, 0, 7, 7, 1, 690000, 7, 0),
	('hour', 1795950000000, 'acme', 'key_FzapnTnlJH', 'sandbox-chat', 'sandbox', 200, 'team=core', 1, 0, 0, 10, 0, 0, 44, 0, 7, 7, 1, 690000, 7, 0),
	('minute', 1795953360000, '', '', 'sandbox-chat', 'sandbox', 200, '', 4, 0, 0, 42, 0, 0, 178, 0, 1070, 488, 4, 2796000, 591, 0),
	('day', 1795910400000, 'acme', 'key_FzapnTnlJH', 'sandbox-chat', 'sandbox', 200, 'team=core', 1, 0, 0, 10, 0, 0, 44, 0, 7, 7, 1, 690000, 7, 0),
	('hour', 1795950000000, 'acme', 'key_FzapnTnlJH', 'sandbox-chat', 'sandbox', 200, '', 4, 0, 0, 42, 0, 0, 178, 0, 1070, 488, 4, 2796000, 591, 0),
	('day', 1795910400000, '', '', 'sandbox-chat', 'sandbox', 200, '', 4, 0, 0, 42, 0, 0, 178, 0, 1070, 488, 4, 2796000, 591, 0);
INSERT INTO public.write_probe VALUES
	(1, 1795953389918);
SELECT pg_catalog.setval('public.alert_deliveries_sequence_seq', 1, false);
SELECT pg_catalog.setval('public.alert_events_sequence_seq', 1, false);
SELECT pg_catalog.setval('public.audit_log_sequence_seq', 16, true);
SELECT pg_catalog.setval('public.cache_reports_row_id_seq', 1, false);
SELECT pg_catalog.setval('public.invitations_row_id_seq', 1, true);
SELECT pg_catalog.setval('public.ledger_entries_sequence_seq', 6, true);
SELECT pg_catalog.setval('public.request_log_id_seq', 4, true);
SELECT pg_catalog.setval('public.responses_row_id_seq', 1, true);
SELECT pg_catalog.setval('public.retired_secrets_number_seq', 1, false);
SELECT pg_catalog.setval('public.usage_deltas_id_seq', 9, true);
ALTER TABLE ONLY public.account_changes
    ADD CONSTRAINT account_changes_pkey PRIMARY KEY (account_id);
ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.alert_deliveries
    ADD CONSTRAINT alert_deliveries_id_key UNIQUE (id);
ALTER TABLE ONLY public.alert_deliveries
    ADD CONSTRAINT alert_deliveries_pkey PRIMARY KEY (sequence);
ALTER TABLE ONLY public.alert_events
    ADD CONSTRAINT alert_events_id_key UNIQUE (id);
ALTER TABLE ONLY public.alert_events
    ADD CONSTRAINT alert_events_pkey PRIMARY KEY (sequence);
ALTER TABLE ONLY public.alert_leader
    ADD CONSTRAINT alert_leader_pkey PRIMARY KEY (one);
ALTER TABLE ONLY public.alert_rules
    ADD CONSTRAINT alert_rules_pkey PRIMARY KEY (owner, id);
ALTER TABLE ONLY public.alert_states
    ADD CONSTRAINT alert_states_pkey PRIMARY KEY (owner, rule_id, subject);
ALTER TABLE ONLY public.alert_targets
    ADD CONSTRAINT alert_targets_pkey PRIMARY KEY (owner, id);
ALTER TABLE ONLY public.audit_log
    ADD CONSTRAINT audit_log_pkey PRIMARY KEY (sequence);
ALTER TABLE ONLY public.balances
    ADD CONSTRAINT balances_pkey PRIMARY KEY (account_id);
ALTER TABLE ONLY public.budget_leases
    ADD CONSTRAINT budget_leases_pkey PRIMARY KEY (node_id, account_id, key_id, starts_at_ms, ends_at_ms);
ALTER TABLE ONLY public.budget_spending
    ADD CONSTRAINT budget_spending_pkey PRIMARY KEY (account_id, key_id, starts_at_ms, ends_at_ms);
ALTER TABLE ONLY public.cache_reports
    ADD CONSTRAINT cache_reports_entry_id_account_id_key_id_key UNIQUE (entry_id, account_id, key_id);
ALTER TABLE ONLY public.cache_reports
    ADD CONSTRAINT cache_reports_id_key UNIQUE (id);
ALTER TABLE ONLY public.cache_reports
    ADD CONSTRAINT cache_reports_pkey PRIMARY KEY (row_id);
ALTER TABLE ONLY public.capture_sums
    ADD CONSTRAINT capture_sums_pkey PRIMARY KEY (account_id);
ALTER TABLE ONLY public.captures
    ADD CONSTRAINT captures_pkey PRIMARY KEY (request_id);
ALTER TABLE ONLY public.channel_health
    ADD CONSTRAINT channel_health_pkey PRIMARY KEY (channel_id, upstream_model);
ALTER TABLE ONLY public.channels
    ADD CONSTRAINT channels_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.credentials
    ADD CONSTRAINT credentials_pkey PRIMARY KEY (account_id, kind, id);
ALTER TABLE ONLY public.gateway_nodes
    ADD CONSTRAINT gateway_nodes_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.held_charges
    ADD CONSTRAINT held_charges_pkey PRIMARY KEY (request_id);
ALTER TABLE ONLY public.holds
    ADD CONSTRAINT holds_pkey PRIMARY KEY (hold_id);
ALTER TABLE ONLY public.idempotent_requests
    ADD CONSTRAINT idempotent_requests_pkey PRIMARY KEY (scope, key);
ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_id_key UNIQUE (id);
ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_pkey PRIMARY KEY (row_id);
ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_token_hash_key UNIQUE (token_hash);
ALTER TABLE ONLY public.key_spending
    ADD CONSTRAINT key_spending_pkey PRIMARY KEY (account_id, key_id);
ALTER TABLE ONLY public.key_use
    ADD CONSTRAINT key_use_pkey PRIMARY KEY (account_id, key_id);
ALTER TABLE ONLY public.kysely_migration_lock
    ADD CONSTRAINT kysely_migration_lock_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.kysely_migration
    ADD CONSTRAINT kysely_migration_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.leases
    ADD CONSTRAINT leases_pkey PRIMARY KEY (node_id, account_id, key_id);
ALTER TABLE ONLY public.ledger_entries
    ADD CONSTRAINT ledger_entries_idempotency_key_key UNIQUE (idempotency_key);
ALTER TABLE ONLY public.ledger_entries
    ADD CONSTRAINT ledger_entries_pkey PRIMARY KEY (sequence);
ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_pkey PRIMARY KEY (user_id, account_id);
ALTER TABLE ONLY public.models
    ADD CONSTRAINT models_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.nodes
    ADD CONSTRAINT nodes_pkey PRIMARY KEY (node_id);
ALTER TABLE ONLY public.object_origins
    ADD CONSTRAINT object_origins_pkey PRIMARY KEY (account_id, object_id);
ALTER TABLE ONLY public.request_log
    ADD CONSTRAINT request_log_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.response_usage
    ADD CONSTRAINT response_usage_pkey PRIMARY KEY (account_id);
ALTER TABLE ONLY public.responses
    ADD CONSTRAINT responses_account_id_id_key UNIQUE (account_id, id);
ALTER TABLE ONLY public.responses
    ADD CONSTRAINT responses_pkey PRIMARY KEY (row_id);
ALTER TABLE ONLY public.retired_secrets
    ADD CONSTRAINT retired_secrets_pkey PRIMARY KEY (secret_hash);
ALTER TABLE ONLY public.settings
    ADD CONSTRAINT settings_pkey PRIMARY KEY (section);
ALTER TABLE ONLY public.sign_in_attempts
    ADD CONSTRAINT sign_in_attempts_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.sign_in_credentials
    ADD CONSTRAINT sign_in_credentials_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.sign_in_credentials
    ADD CONSTRAINT sign_in_credentials_provider_id_account_id_key UNIQUE (provider_id, account_id);
ALTER TABLE ONLY public.sign_in_passkeys
    ADD CONSTRAINT sign_in_passkeys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.sign_in_sessions
    ADD CONSTRAINT sign_in_sessions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.sign_in_sessions
    ADD CONSTRAINT sign_in_sessions_token_key UNIQUE (token);
ALTER TABLE ONLY public.sign_in_two_factors
    ADD CONSTRAINT sign_in_two_factors_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.sign_in_verifications
    ADD CONSTRAINT sign_in_verifications_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.success_snapshot
    ADD CONSTRAINT success_snapshot_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.synced_models
    ADD CONSTRAINT synced_models_pkey PRIMARY KEY (provider, id);
ALTER TABLE ONLY public.task_owners
    ADD CONSTRAINT task_owners_pkey PRIMARY KEY (owner);
ALTER TABLE ONLY public.tasks
    ADD CONSTRAINT tasks_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.token_use
    ADD CONSTRAINT token_use_pkey PRIMARY KEY (account_id, key_id);
ALTER TABLE ONLY public.usage_deltas
    ADD CONSTRAINT usage_deltas_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.usage_rollups
    ADD CONSTRAINT usage_rollups_pkey PRIMARY KEY (account_id, level, bucket_ms, key_id, model_id, channel_id, status, tag);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_email_key UNIQUE (email);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.write_probe
    ADD CONSTRAINT write_probe_pkey PRIMARY KEY (id);
CREATE INDEX account_changes_by_version ON public.account_changes USING btree (version);
CREATE INDEX accounts_by_origin ON public.accounts USING btree (origin);
CREATE INDEX alert_deliveries_by_event ON public.alert_deliveries USING btree (event_id);
CREATE INDEX alert_deliveries_by_owner ON public.alert_deliveries USING btree (owner, sequence);
CREATE INDEX alert_deliveries_due ON public.alert_deliveries USING btree (next_attempt_at_ms) WHERE (state = 'pending'::text);
CREATE INDEX alert_deliveries_waiting ON public.alert_deliveries USING btree (owner, target_id) WHERE (state = 'pending'::text);
CREATE INDEX alert_events_by_owner ON public.alert_events USING btree (owner, sequence);
CREATE INDEX alert_events_by_time ON public.alert_events USING btree (at_ms);
CREATE INDEX audit_log_by_account ON public.audit_log USING btree (account_id, sequence);
CREATE INDEX audit_log_by_action ON public.audit_log USING btree (action, sequence);
CREATE INDEX audit_log_by_actor ON public.audit_log USING btree (actor_id, sequence) WHERE (actor_id IS NOT NULL);
CREATE INDEX audit_log_by_kind ON public.audit_log USING btree (split_part(action, '.'::text, 1), sequence);
CREATE INDEX audit_log_by_object ON public.audit_log USING btree (object_id, sequence);
CREATE INDEX cache_reports_by_account ON public.cache_reports USING btree (account_id, row_id);
CREATE INDEX cache_reports_by_time ON public.cache_reports USING btree (at_ms);
CREATE INDEX captures_by_account ON public.captures USING btree (account_id, at_ms);
CREATE INDEX captures_by_time ON public.captures USING btree (at_ms);
CREATE INDEX credentials_by_id ON public.credentials USING btree (id);
CREATE INDEX credentials_by_origin ON public.credentials USING btree (origin);
CREATE INDEX credentials_by_preview ON public.credentials USING btree (preview);
CREATE INDEX credentials_by_secret_hash ON public.credentials USING btree (secret_hash);
CREATE INDEX credentials_management ON public.credentials USING btree (account_id, id) WHERE (kind = 'management'::text);
CREATE INDEX credentials_usable ON public.credentials USING btree (account_id) WHERE ((kind = 'inference'::text) AND (revoked_at_ms IS NULL));
CREATE INDEX held_charges_by_time ON public.held_charges USING btree (at_ms);
CREATE INDEX holds_open_by_account ON public.holds USING btree (account_id, key_id) WHERE (state = 'open'::text);
CREATE INDEX holds_open_by_expiry ON public.holds USING btree (expires_at_ms) WHERE (state = 'open'::text);
CREATE INDEX idempotent_requests_by_time ON public.idempotent_requests USING btree (at_ms);
CREATE INDEX invitations_by_account ON public.invitations USING btree (account_id, row_id);
CREATE INDEX invitations_by_expiry ON public.invitations USING btree (expires_at_ms);
CREATE INDEX invitations_by_user ON public.invitations USING btree (user_id);
CREATE INDEX ledger_entries_but_charges ON public.ledger_entries USING btree (account_id, at_ms, sequence) WHERE (kind <> 'charge'::text);
CREATE INDEX ledger_entries_by_account ON public.ledger_entries USING btree (account_id, at_ms, sequence);
CREATE INDEX memberships_by_account ON public.memberships USING btree (account_id, user_id);
CREATE INDEX nodes_by_expiry ON public.nodes USING btree (expires_at);
CREATE INDEX object_origins_by_account ON public.object_origins USING btree (account_id, expires_at_ms);
CREATE INDEX object_origins_by_expiry ON public.object_origins USING btree (expires_at_ms);
CREATE INDEX request_log_by_time ON public.request_log USING btree (at_ms);
CREATE INDEX responses_by_account ON public.responses USING btree (account_id, row_id);
CREATE INDEX responses_by_expiry ON public.responses USING btree (expires_at_ms);
CREATE INDEX retired_secrets_by_credential ON public.retired_secrets USING btree (account_id, kind, credential_id, number);
CREATE UNIQUE INDEX secret_check_expr_idx ON public.secret_check USING btree ((true));
CREATE INDEX sign_in_attempts_by_end ON public.sign_in_attempts USING btree (window_ends_at_ms);
CREATE INDEX sign_in_credentials_user_id_idx ON public.sign_in_credentials USING btree (user_id);
CREATE INDEX sign_in_passkeys_credential_id_idx ON public.sign_in_passkeys USING btree (credential_id);
CREATE INDEX sign_in_passkeys_user_id_idx ON public.sign_in_passkeys USING btree (user_id);
CREATE INDEX sign_in_sessions_by_expiry ON public.sign_in_sessions USING btree (expires_at);
CREATE INDEX sign_in_sessions_user_id_idx ON public.sign_in_sessions USING btree (user_id);
CREATE INDEX sign_in_two_factors_secret_idx ON public.sign_in_two_factors USING btree (secret);
CREATE INDEX sign_in_two_factors_user_id_idx ON public.sign_in_two_factors USING btree (user_id);
CREATE INDEX sign_in_verifications_by_expiry ON public.sign_in_verifications USING btree (expires_at);
CREATE INDEX sign_in_verifications_identifier_idx ON public.sign_in_verifications USING btree (identifier);
CREATE INDEX tasks_by_account ON public.tasks USING btree (account_id, created_at_ms, id);
CREATE INDEX tasks_by_expiry ON public.tasks USING btree (expires_at_ms) WHERE (expires_at_ms IS NOT NULL);
CREATE INDEX tasks_by_time ON public.tasks USING btree (created_at_ms, id);
CREATE INDEX tasks_open_by_account ON public.tasks USING btree (account_id, created_at_ms, id) WHERE (stage <> ALL (ARRAY['completed'::text, 'failed'::text]));
CREATE INDEX tasks_open_by_owner ON public.tasks USING btree (owner, created_at_ms, id) WHERE (stage <> ALL (ARRAY['completed'::text, 'failed'::text]));
CREATE INDEX tasks_open_by_time ON public.tasks USING btree (created_at_ms, id) WHERE (stage <> ALL (ARRAY['completed'::text, 'failed'::text]));
CREATE INDEX tasks_open_figures ON public.tasks USING btree (kind, provider, stage, created_at_ms) WHERE (stage <> ALL (ARRAY['completed'::text, 'failed'::text]));
CREATE TRIGGER accounts_delete_version AFTER DELETE ON public.accounts REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.accounts_changed();
CREATE TRIGGER accounts_insert_version AFTER INSERT ON public.accounts REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.accounts_changed();
CREATE TRIGGER accounts_truncate_version AFTER TRUNCATE ON public.accounts FOR EACH STATEMENT EXECUTE FUNCTION public.accounts_emptied();
CREATE TRIGGER accounts_update_version AFTER UPDATE ON public.accounts REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.accounts_changed();
CREATE TRIGGER audit_log_kept BEFORE TRUNCATE ON public.audit_log FOR EACH STATEMENT EXECUTE FUNCTION public.audit_refuse_change();
CREATE TRIGGER audit_log_unchanged BEFORE DELETE OR UPDATE ON public.audit_log FOR EACH ROW EXECUTE FUNCTION public.audit_refuse_change();
CREATE TRIGGER budget_leases_ended AFTER DELETE ON public.budget_leases FOR EACH ROW WHEN ((old.amount_nano > 0)) EXECUTE FUNCTION public.budget_end_lease();
CREATE TRIGGER channels_version AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.channels FOR EACH STATEMENT EXECUTE FUNCTION public.count_directory_version();
CREATE TRIGGER credentials_delete_version AFTER DELETE ON public.credentials REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.credentials_changed();
CREATE TRIGGER credentials_insert_version AFTER INSERT ON public.credentials REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.credentials_changed();
CREATE TRIGGER credentials_retired_secret AFTER UPDATE OF secret_hash ON public.credentials FOR EACH ROW WHEN ((old.secret_hash <> new.secret_hash)) EXECUTE FUNCTION public.credentials_retired_secret();
CREATE TRIGGER credentials_truncate_version AFTER TRUNCATE ON public.credentials FOR EACH STATEMENT EXECUTE FUNCTION public.credentials_emptied();
CREATE TRIGGER credentials_update_version AFTER UPDATE ON public.credentials REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.credentials_changed();
CREATE TRIGGER directory_version_notify AFTER UPDATE ON public.directory_version FOR EACH STATEMENT EXECUTE FUNCTION public.directory_version_notify();
CREATE TRIGGER holds_budgets_ended AFTER UPDATE ON public.holds FOR EACH ROW WHEN (((old.state = 'open'::text) AND (new.state <> 'open'::text) AND (old.budgets IS NOT NULL))) EXECUTE FUNCTION public.holds_end_budgets();
CREATE TRIGGER ledger_entries_counted AFTER INSERT ON public.ledger_entries FOR EACH ROW WHEN (((new.kind = 'charge'::text) AND (current_setting('switchyard.counts_charges'::text, true) IS DISTINCT FROM 'yes'::text))) EXECUTE FUNCTION public.ledger_count_charge();
CREATE TRIGGER ledger_entries_kept BEFORE TRUNCATE ON public.ledger_entries FOR EACH STATEMENT EXECUTE FUNCTION public.ledger_refuse_change();
CREATE TRIGGER ledger_entries_unchanged BEFORE DELETE OR UPDATE ON public.ledger_entries FOR EACH ROW EXECUTE FUNCTION public.ledger_refuse_change();
CREATE TRIGGER models_version AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.models FOR EACH STATEMENT EXECUTE FUNCTION public.count_directory_version();
CREATE TRIGGER responses_counted AFTER INSERT ON public.responses REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.responses_counted();
CREATE TRIGGER responses_discounted AFTER DELETE ON public.responses REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.responses_discounted();
CREATE TRIGGER synced_models_version AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.synced_models FOR EACH STATEMENT EXECUTE FUNCTION public.count_directory_version();
ALTER TABLE ONLY public.alert_deliveries
    ADD CONSTRAINT alert_deliveries_event_id_fkey FOREIGN KEY (event_id) REFERENCES public.alert_events(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.budget_leases
    ADD CONSTRAINT budget_leases_node_id_fkey FOREIGN KEY (node_id) REFERENCES public.nodes(node_id) ON DELETE CASCADE;
ALTER TABLE ONLY public.channel_health
    ADD CONSTRAINT channel_health_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES public.channels(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.channels
    ADD CONSTRAINT channels_owner_fkey FOREIGN KEY (owner) REFERENCES public.accounts(id);
ALTER TABLE ONLY public.credentials
    ADD CONSTRAINT credentials_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id);
ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.leases
    ADD CONSTRAINT leases_node_id_fkey FOREIGN KEY (node_id) REFERENCES public.nodes(node_id);
ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT memberships_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.sign_in_credentials
    ADD CONSTRAINT sign_in_credentials_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.sign_in_passkeys
    ADD CONSTRAINT sign_in_passkeys_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.sign_in_sessions
    ADD CONSTRAINT sign_in_sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.sign_in_two_factors
    ADD CONSTRAINT sign_in_two_factors_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
