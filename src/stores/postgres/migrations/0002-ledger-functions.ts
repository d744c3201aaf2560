/**
 * Rows are found by their keys. A plan that is made and cached while a table is new and small would scan all of it, including dead row
 * versions, until it is analyzed. Generic plans serve one charge as well as a thousand: planning anew each time took three quarters of the
 * 1.3 ms of one charge (measured on PostgreSQL 18).
 */
const BY_KEY = 'set enable_seqscan = off set plan_cache_mode = force_generic_plan';

/**
 * Every change of the ledger is one call of one of these functions, and so one round trip and one transaction: a node that is cut off in
 * the middle leaves no balance locked, and a charge waits for a single response. All functions lock in the same order to avoid deadlocks:
 * rows of `nodes`, then rows of `balances` by id. Reading or changing an account's sums or leases requires its row of `balances`; changing
 * a node's leases requires its row of `nodes`. Each statement of a function sees what was committed before it, so reads after the locks are
 * current. A later change is a new function with another name, since nodes of two versions run side by side during an upgrade.
 */
export const LEDGER_FUNCTIONS: readonly string[] = [
  /** Makes the commit durable whatever the connection's default. This includes leases, since a lost one could be leased a second time. */
  `create function ledger_commit_durably() returns void language plpgsql as $$
    begin
      if current_setting('synchronous_commit') = 'off' then
        perform set_config('synchronous_commit', 'on', true);
      end if;
    end
  $$`,

  /** Returns 'appended', 'known', 'conflict' or 'insufficient'. */
  `create function ledger_append(
    for_idempotency_key text, for_account text, for_key text, of_kind text, amount bigint, for_request text,
    happened_at_ms bigint, with_note text
  ) returns text language plpgsql ${BY_KEY} as $$
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
  $$`,

  /**
   * 'granted' is null if the node no longer exists. If nothing was granted, 'others_expired' says whether leases of expired nodes could be
   * released.
   */
  `create function ledger_lease(
    for_node text, for_account text, for_key text, as_operation bigint, wanted bigint, at_least bigint, key_limit bigint,
    out granted bigint, out others_expired boolean
  ) language plpgsql ${BY_KEY} as $$
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
  $$`,

  /** Releases at most the leased amount. The row stays for a while, so that the same operation is not applied twice. */
  `create function ledger_give_back(
    for_node text, for_account text, for_key text, as_operation bigint, amount bigint
  ) returns void language plpgsql ${BY_KEY} as $$
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
  $$`,

  /**
   * Charges many requests, each exactly once. 'known' are those that already had an entry, with this content or another. If a charge is to
   * be paid from a lease that has ended, it is taken from the balance instead and counted in 'uncovered'.
   */
  `create function ledger_charge(
    for_nodes text[], for_requests text[], for_accounts text[], for_keys text[], costs bigint[],
    from_account_leases bigint[], from_key_leases bigint[], happened_at_ms bigint[],
    out known text[], out uncovered bigint
  ) language plpgsql ${BY_KEY} as $$
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
  $$`,

  /** Releases all leases of a node and deletes it. Returns the released amount, or null if the node did not exist. */
  `create function ledger_end_node(for_node text) returns numeric language plpgsql ${BY_KEY} as $$
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
  $$`,

  /** Ends one expired node, if there is one; otherwise 'ended' is null. */
  `create function ledger_end_expired_node(out ended text, out returned numeric) language plpgsql ${BY_KEY} as $$
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
  $$`,
];
