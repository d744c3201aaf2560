import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The audit log, and the outcomes of idempotent requests. */
export const auditMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`
      create table audit_log (
        sequence integer primary key autoincrement,
        at_ms integer not null,
        actor_kind text not null,
        actor_id text,
        actor_name text not null,
        address text,
        request_id text,
        action text not null,
        account_id text,
        object_id text not null,
        "before" text,
        "after" text
      ) strict
    `.execute(db);
    await sql`create index audit_log_by_account on audit_log (account_id, sequence)`.execute(db);
    await sql`create index audit_log_by_object on audit_log (object_id, sequence)`.execute(db);
    await sql`create index audit_log_by_actor on audit_log (actor_id, sequence) where actor_id is not null`.execute(db);
    for (const event of ['update', 'delete']) {
      await sql`
        create trigger ${sql.id(`audit_log_no_${event}`)} before ${sql.raw(event)} on audit_log
        begin select raise(abort, 'the audit log is append-only'); end
      `.execute(db);
    }
    await sql`
      create table idempotent_requests (
        scope text not null,
        key text not null,
        fingerprint text not null,
        at_ms integer not null,
        sealed_answer blob,
        primary key (scope, key)
      ) strict, without rowid
    `.execute(db);
    await sql`create index idempotent_requests_by_time on idempotent_requests (at_ms)`.execute(db);
  },
};
