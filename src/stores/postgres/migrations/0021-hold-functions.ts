import { BY_KEY } from './0021-budget-functions.ts';
import { COUNTS_ITSELF } from './0021-charge-functions.ts';

/** Returns a FROM item with the budget parts of a hold, as stored in `holds.budgets`. */
const budgetsOf = (json: string) =>
  `jsonb_to_recordset(${json}::jsonb) as b (
          key_id text, starts_at_ms bigint, ends_at_ms bigint, held_nano bigint, budget_nano bigint)`;

export const HOLD_FUNCTIONS: readonly string[] = [
  /** Releases the budget parts of a hold however it ends, and by a node of any version. */
  `create function holds_end_budgets() returns trigger language plpgsql ${BY_KEY} as $$
    begin
      update budget_spending p set leased_nano = p.leased_nano - b.held_nano
        from ${budgetsOf('old.budgets')}
        where (p.account_id, p.key_id, p.starts_at_ms, p.ends_at_ms)
            = (old.account_id, b.key_id, b.starts_at_ms, b.ends_at_ms);
      return null;
    end
  $$`,
  `create trigger holds_budgets_ended after update on holds for each row
    when (old.state = 'open' and new.state <> 'open' and old.budgets is not null) execute function holds_end_budgets()`,

  /** Like ledger_hold, which it calls; also returns 'account_budget' and 'key_budget'. */
  `create function ledger_hold_2(
    new_hold text, for_account text, for_key text, of_balance bigint, of_limit bigint, key_limit bigint, with_terms text,
    happened_at_ms bigint, to_expire_at_ms bigint, with_budgets text
  ) returns text language plpgsql ${BY_KEY} as $$
    declare
      part record;
      free bigint;
      outcome text;
    begin
      perform ledger_commit_durably();
      insert into balances (account_id) values (for_account) on conflict do nothing;
      perform from balances where account_id = for_account for no key update;
      if with_budgets is not null and not exists (select from holds where hold_id = new_hold) then
        for part in select * from ${budgetsOf('with_budgets')} loop
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
          from ${budgetsOf('with_budgets')}
          where (p.account_id, p.key_id, p.starts_at_ms, p.ends_at_ms)
              = (for_account, b.key_id, b.starts_at_ms, b.ends_at_ms);
      end if;
      return outcome;
    end
  $$`,

  /**
   * Like ledger_settle_hold, but the charge also counts in the budget periods of the hold and in the usage sums. src/domain/ledger/hold.ts
   * has the rule for the amount.
   */
  `create function ledger_settle_hold_2(
    of_hold text, cost bigint, happened_at_ms bigint, of_model text, of_channel text, with_status integer, with_tags text[],
    out ended text, out charged bigint
  ) language plpgsql ${BY_KEY} ${COUNTS_ITSELF} as $$
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
        for part in select * from ${budgetsOf('held.budgets')} loop
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
  $$`,
];
