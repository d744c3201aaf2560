import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

const STATEMENTS = [
  `alter table models
    alter column category drop not null,
    alter column owned_by drop not null,
    alter column tags drop not null,
    add column status_stated smallint not null default 0,
    add column name text,
    add column description text,
    add column capabilities text,
    add column operations text`,
  // These values were defaults of an earlier version for unknown models, not declared facts.
  "update models set owned_by = null where owned_by = 'unknown'",
  "update models set tags = null where tags = '[]'",
  `create table synced_models (
    provider text collate "C" not null,
    id text collate "C" not null,
    facts text not null,
    source text not null,
    primary key (provider, id)
  )`,
  `create trigger synced_models_version after insert or update or delete or truncate on synced_models
    for each statement execute function count_directory_version()`,
];

/** A model's row contains only declared facts. Facts imported from public price lists are separate. */
export const catalogueMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};
