import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { moveRetentionOfTasks } from '../../../shared/retention-settings.ts';

/**
 * The node that deletes old data. A transaction that sets `switchyard.audit_before_ms` may delete audit log entries before that time. Ended
 * holds are indexed by time.
 */
export const retentionMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`
      create table retention_leader (one integer primary key check (one = 1), holder text not null, until_ms bigint not null)
    `.execute(db);
    await sql`
      create function audit_refuse_deletion() returns trigger language plpgsql as $$
        begin
          if old.at_ms < coalesce(nullif(current_setting('switchyard.audit_before_ms', true), ''), '0')::bigint then
            return old;
          end if;
          raise exception 'entries of the audit log are never changed or deleted';
        end
      $$
    `.execute(db);
    await sql`drop trigger audit_log_unchanged on audit_log`.execute(db);
    await sql`
      create trigger audit_log_unchanged before update on audit_log
        for each row execute function audit_refuse_change()
    `.execute(db);
    await sql`
      create trigger audit_log_undeleted before delete on audit_log
        for each row execute function audit_refuse_deletion()
    `.execute(db);
    await sql`create index holds_ended_by_time on holds (closed_at_ms) where state <> 'open'`.execute(db);
    await moveRetentionOfTasks(db);
  },
};
