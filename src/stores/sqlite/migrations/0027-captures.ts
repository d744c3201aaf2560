import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { CAPTURE_TABLES } from '../../sql/captures/tables.ts';

/** Which accounts have their requests and answers kept, what is kept of them, and how much that is for each account. */
export const capturesMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table accounts add column capture text not null default 'none'`.execute(db);
    for (const statement of CAPTURE_TABLES) await sql.raw(statement).execute(db);
  },
};
