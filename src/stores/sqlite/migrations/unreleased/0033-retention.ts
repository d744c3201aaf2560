import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { moveRetentionOfTasks } from '../../../shared/retention-settings.ts';

/**
 * Audit log entries older than `before_ms` may be deleted. The retention job sets it for the duration of a transaction. Ended holds are
 * indexed by time.
 */
export const retentionMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`create table audit_horizon (one integer primary key check (one = 1), before_ms integer not null) strict`.execute(
      db,
    );
    await sql`insert into audit_horizon (one, before_ms) values (1, 0)`.execute(db);
    await sql`drop trigger audit_log_no_delete`.execute(db);
    await sql`
      create trigger audit_log_no_delete before delete on audit_log
      when old.at_ms >= (select before_ms from audit_horizon)
      begin select raise(abort, 'the audit log is append-only'); end
    `.execute(db);
    await sql`create index holds_ended_by_time on holds (closed_at_ms) where state <> 'open'`.execute(db);
    await moveRetentionOfTasks(db);
  },
};
