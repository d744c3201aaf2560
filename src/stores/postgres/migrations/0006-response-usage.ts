import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * The stored amount per account, updated with every change, so that checking a quota needs no sum. Updated once per statement and in order
 * of accounts, so that concurrent deletions of many accounts' rows do not deadlock.
 */
export const responseUsageMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};

const STATEMENTS = [
  `create table response_usage (
    account_id text collate "C" primary key,
    responses bigint not null,
    bytes bigint not null
  )`,
  'create index responses_by_account on responses (account_id, row_id)',
  `insert into response_usage
  select account_id, count(*), sum(octet_length(sealed_input) + octet_length(sealed_response)) from responses group by account_id`,
  `create function responses_counted() returns trigger language plpgsql as $$
  begin
    insert into response_usage as known
    select account_id, count(*), sum(octet_length(sealed_input) + octet_length(sealed_response))
    from changed group by account_id order by account_id
    on conflict (account_id) do update
    set responses = known.responses + excluded.responses, bytes = known.bytes + excluded.bytes;
    return null;
  end $$`,
  `create function responses_discounted() returns trigger language plpgsql as $$
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
  end $$`,
  `create trigger responses_counted after insert on responses
  referencing new table as changed for each statement execute function responses_counted()`,
  `create trigger responses_discounted after delete on responses
  referencing old table as changed for each statement execute function responses_discounted()`,
];
