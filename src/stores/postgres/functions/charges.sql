-- Charges. See ledger.sql for the order of locks and the settings of the functions.

-- Charges many requests, each exactly once, and counts them for budgets and usage sums. 'known' are those that already
-- had an entry, with this content or another. If a charge is to be paid from a lease that has ended, it is taken from
-- the balance instead and counted in 'uncovered'. If 'counted_at_ms' is null the charge has no known budget.
-- 'account_starts' and 'key_starts' are the starts of the periods it leased from, or null. 'tagged' and 'with_tags' are
-- pairs of request and tag. Functions that count their charges themselves, all at once, set `switchyard.counts_charges`.
create or replace function ledger_charge_2(
  for_nodes text[], for_requests text[], for_accounts text[], for_keys text[], costs bigint[],
  from_account_leases bigint[], from_key_leases bigint[], happened_at_ms bigint[], to_count_at_ms bigint[],
  account_starts bigint[], account_ends bigint[], key_starts bigint[], key_ends bigint[],
  of_models text[], of_channels text[], with_statuses integer[], tagged text[], with_tags text[],
  out known text[], out uncovered bigint
)
language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan set switchyard.counts_charges = 'yes' as $$
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

    -- Equal rows of the same minute (60,000 ms) are merged.
    insert into usage_deltas (at_ms, account_id, key_id, model_id, channel_id, status, cost_nano)
      select at_ms - at_ms % 60000, account, coalesce(key, ''), model, channel, status, sum(cost)
        from unnest(happened_at_ms, for_accounts, for_keys, of_models, of_channels, with_statuses, costs)
          c (at_ms, account, key, model, channel, status, cost)
        where cost <> 0
        group by 1, 2, 3, 4, 5, 6;
    if cardinality(tagged) > 0 then
      insert into usage_deltas (at_ms, account_id, key_id, model_id, channel_id, status, tag, cost_nano)
        select at_ms - at_ms % 60000, account, coalesce(key, ''), model, channel, status, tag, sum(cost)
          from unnest(
              for_requests, happened_at_ms, for_accounts, for_keys, of_models, of_channels, with_statuses, costs
            ) c (request, at_ms, account, key, model, channel, status, cost)
            join unnest(tagged, with_tags) t (request, tag) using (request)
          where cost <> 0
          group by 1, 2, 3, 4, 5, 6, 7;
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

-- Counts every charge in all of its periods that have a row, and ends its leases.
create or replace function ledger_count_in_budgets(
  for_nodes text[], for_accounts text[], for_keys text[], costs bigint[], to_count_at_ms bigint[],
  account_starts bigint[], account_ends bigint[], key_starts bigint[], key_ends bigint[]
) returns void language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
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

-- Counts a charge that was not written by ledger_charge_2, so that budgets and usage sums stay correct. Such a charge
-- has neither model nor channel.
create or replace function ledger_count_charge() returns trigger
  language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
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
