import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The same settings as for the other functions of the ledger (0002-ledger-functions.ts). */
const BY_KEY = 'set enable_seqscan = off set plan_cache_mode = force_generic_plan';

/**
 * Reservations that outlive a process. Open holds are included in `leased_nano` of balances and keys, so that they reduce the free amount
 * everywhere, also for nodes of an older version. The functions lock in the same order as the ledger's others: the account's row of
 * `balances` before any of its sums, and every change of a hold locks that row.
 */
export const holdsMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of [...TABLE, HOLD, SETTLE, RELEASE]) await sql.raw(statement).execute(db);
  },
};

const TABLE = [
  `create table holds (
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
    closed_at_ms bigint
  )`,
  `create index holds_open_by_account on holds (account_id, key_id) where state = 'open'`,
  `create index holds_open_by_expiry on holds (expires_at_ms) where state = 'open'`,
];

/** Returns 'held', 'known', 'conflict', 'balance' or 'limit'. */
const HOLD = `create function ledger_hold(
  new_hold text, for_account text, for_key text, of_balance bigint, of_limit bigint, key_limit bigint, with_terms text,
  happened_at_ms bigint, to_expire_at_ms bigint
) returns text language plpgsql ${BY_KEY} as $$
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
$$`;

/** Returns the steps before and after the charge of a hold, also without a charge. */
const lockHold = (name: string) => `
    perform ledger_commit_durably();
    perform from balances where account_id = (select account_id from holds where hold_id = ${name}) for no key update;
    select * into held from holds where hold_id = ${name};
    if not found then
      return;
    end if;
    if held.state <> 'open' then
      ended := held.state;
      charged := held.charged_nano;
      return;
    end if;`;

const FREE_HELD = `
    update balances set leased_nano = leased_nano - coalesce(held.from_balance_nano, 0)
      where account_id = held.account_id;
    if held.from_limit_nano is not null then
      update key_spending set leased_nano = leased_nano - held.from_limit_nano
        where account_id = held.account_id and key_id = held.key_id;
    end if;
    update holds set state = ended, charged_nano = charged, closed_at_ms = happened_at_ms
      where hold_id = held.hold_id;`;

/** 'ended' is null if there is no such hold. src/domain/ledger/hold.ts has the rule for the amount. */
const SETTLE = `create function ledger_settle_hold(
  of_hold text, cost bigint, happened_at_ms bigint, out ended text, out charged bigint
) language plpgsql ${BY_KEY} as $$
  declare
    held holds%rowtype;
    free bigint;
  begin${lockHold('of_hold')}
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
    end if;${FREE_HELD}
  end
$$`;

const RELEASE = `create function ledger_release_hold(
  of_hold text, happened_at_ms bigint, out ended text, out charged bigint
) language plpgsql ${BY_KEY} as $$
  declare
    held holds%rowtype;
  begin${lockHold('of_hold')}
    ended := 'released';
    charged := 0;${FREE_HELD}
  end
$$`;
