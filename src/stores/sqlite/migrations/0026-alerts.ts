import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { ALERT_TABLES } from '../../sql/alerts/tables.ts';

/** Alert rules and targets, alert states, and the outbox of notifications. */
export const alertsMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of ALERT_TABLES) await sql.raw(statement).execute(db);
  },
};
