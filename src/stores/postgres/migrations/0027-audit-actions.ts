import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Indexes to list one action, or all actions on one kind of object, among millions of entries. Entries are written rarely. */
export const auditActionsMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`create index audit_log_by_action on audit_log (action, sequence)`.execute(db);
    await sql`create index audit_log_by_kind on audit_log ((split_part(action, '.', 1)), sequence)`.execute(db);
  },
};
