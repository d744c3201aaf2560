import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The model named in the response, if it is not the requested one. */
export const answerModelMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table request_log add column answer_model text`.execute(db);
  },
};
