import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * The scopes of tokens; existing ones have none and may do everything. Former secrets of credentials, so that they are recognised as
 * expired or accepted for a while: triggers record the last twenty replaced secrets of each credential.
 */
export const credentialsMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};

const STATEMENTS = [
  'alter table credentials add column scopes text',
  'alter table credentials add column previous_secret_hash text',
  'alter table credentials add column previous_secret_ends_at_ms double precision',
  `create table retired_secrets (
    secret_hash text collate "C" primary key,
    account_id text collate "C" not null,
    kind text collate "C" not null,
    credential_id text collate "C" not null,
    number bigint generated always as identity
  )`,
  'create index retired_secrets_by_credential on retired_secrets (account_id, kind, credential_id, number)',
  `create function credentials_retired_secret() returns trigger language plpgsql as $$
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
  $$`,
  `create trigger credentials_retired_secret after update of secret_hash on credentials for each row
    when (old.secret_hash <> new.secret_hash) execute function credentials_retired_secret()`,
  // The last use of tokens, whose ids may equal those of keys.
  `create table token_use (
    account_id text collate "C" not null,
    key_id text collate "C" not null,
    last_used_at_ms double precision not null,
    primary key (account_id, key_id)
  )`,
];
