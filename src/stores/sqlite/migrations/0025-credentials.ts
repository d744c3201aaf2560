import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * The scopes of tokens; existing ones have none and may do everything. Former secrets of credentials, so that they are recognised as
 * expired or accepted for a while: triggers record the last twenty replaced secrets of each credential.
 */
export const credentialsMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table credentials add column scopes text`.execute(db);
    await sql`alter table credentials add column previous_secret_hash text`.execute(db);
    await sql`alter table credentials add column previous_secret_ends_at_ms integer`.execute(db);
    await sql`
      create table retired_secrets (
        secret_hash text primary key not null,
        account_id text not null,
        kind text not null,
        credential_id text not null,
        number integer not null
      ) strict, without rowid
    `.execute(db);
    await sql`
      create index retired_secrets_by_credential on retired_secrets (account_id, kind, credential_id, number)
    `.execute(db);
    await sql`
      create trigger credentials_retired_secret after update of secret_hash on credentials
      when old.secret_hash <> new.secret_hash begin
        insert into retired_secrets (secret_hash, account_id, kind, credential_id, number)
          select old.secret_hash, old.account_id, old.kind, old.id, coalesce(max(number), 0) + 1 from retired_secrets
          where account_id = old.account_id and kind = old.kind and credential_id = old.id
          on conflict (secret_hash) do update set
            account_id = excluded.account_id, kind = excluded.kind,
            credential_id = excluded.credential_id, number = excluded.number;
        delete from retired_secrets
          where account_id = old.account_id and kind = old.kind and credential_id = old.id and number <= (
            select max(number) - 20 from retired_secrets
            where account_id = old.account_id and kind = old.kind and credential_id = old.id
          );
      end
    `.execute(db);
    // The last use of tokens, whose ids may equal those of keys.
    await sql`
      create table token_use (
        account_id text not null,
        key_id text not null,
        last_used_at_ms integer not null,
        primary key (account_id, key_id)
      ) strict, without rowid
    `.execute(db);
  },
};
