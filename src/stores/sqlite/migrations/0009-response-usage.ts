import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * The stored amount per account, updated with every change, so that checking a quota needs no sum. The index returns an account's oldest
 * responses first, since the row id follows its only column.
 */
export const responseUsageMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`
      create table response_usage (
        account_id text primary key,
        responses integer not null,
        bytes integer not null
      ) strict, without rowid
    `.execute(db);
    await sql`create index responses_by_account on responses (account_id)`.execute(db);
    await sql`
      insert into response_usage
      select account_id, count(*), sum(length(sealed_input) + length(sealed_response)) from responses group by account_id
    `.execute(db);
    await sql`
      create trigger responses_counted after insert on responses begin
        insert into response_usage select new.account_id, 0, 0
        where not exists (select 1 from response_usage where account_id = new.account_id);
        update response_usage
        set responses = responses + 1, bytes = bytes + length(new.sealed_input) + length(new.sealed_response)
        where account_id = new.account_id;
      end
    `.execute(db);
    await sql`
      create trigger responses_discounted after delete on responses begin
        update response_usage
        set responses = responses - 1, bytes = bytes - length(old.sealed_input) - length(old.sealed_response)
        where account_id = old.account_id;
        delete from response_usage where account_id = old.account_id and responses = 0;
      end
    `.execute(db);
  },
};
