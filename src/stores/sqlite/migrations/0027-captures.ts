import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { CAPTURE_TABLES } from '../../sql/captures/tables.ts';

/** The capture setting of accounts, the captures, and their total size per account. */
export const capturesMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table accounts add column capture text not null default 'none'`.execute(db);
    for (const statement of CAPTURE_TABLES) await sql.raw(statement).execute(db);
  },
};
