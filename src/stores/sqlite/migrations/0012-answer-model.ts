import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The model that an answer names, where it is not the one that was asked for. */
export const answerModelMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table request_log add column answer_model text`.execute(db);
  },
};
