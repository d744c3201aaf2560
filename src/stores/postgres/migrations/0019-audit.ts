import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The audit log, and the outcomes of idempotent requests. */
export const auditMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`
      create table audit_log (
        sequence bigint generated always as identity primary key,
        at_ms bigint not null,
        actor_kind text not null,
        actor_id text collate "C",
        actor_name text not null,
        address text,
        request_id text,
        action text collate "C" not null,
        account_id text collate "C",
        object_id text collate "C" not null,
        "before" text,
        "after" text
      )
    `.execute(db);
    await sql`create index audit_log_by_account on audit_log (account_id, sequence)`.execute(db);
    await sql`create index audit_log_by_object on audit_log (object_id, sequence)`.execute(db);
    await sql`create index audit_log_by_actor on audit_log (actor_id, sequence) where actor_id is not null`.execute(db);
    await sql`
      create function audit_refuse_change() returns trigger language plpgsql as $$
        begin
          raise exception 'entries of the audit log are never changed or deleted';
        end
      $$
    `.execute(db);
    await sql`
      create trigger audit_log_unchanged before update or delete on audit_log
        for each row execute function audit_refuse_change()
    `.execute(db);
    await sql`
      create trigger audit_log_kept before truncate on audit_log
        for each statement execute function audit_refuse_change()
    `.execute(db);
    await sql`
      create table idempotent_requests (
        scope text collate "C" not null,
        key text collate "C" not null,
        fingerprint text not null,
        at_ms bigint not null,
        sealed_answer bytea,
        primary key (scope, key)
      )
    `.execute(db);
    await sql`create index idempotent_requests_by_time on idempotent_requests (at_ms)`.execute(db);
  },
};
