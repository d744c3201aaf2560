import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { ALERT_TABLES } from '../../sql/alerts/tables.ts';

/** Rules of alerts and where they are sent, what is raised, and the outbox of what is to be told. */
export const alertsMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of ALERT_TABLES) await sql.raw(statement).execute(db);
  },
};
