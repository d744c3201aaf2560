import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** A model's row contains only declared facts; the catalogue supplies the rest. Facts imported from public price lists come in between. */
export const catalogueMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await rebuildModels(db);
    await sql`
      create table synced_models (
        provider text not null,
        id text not null,
        facts text not null,
        source text not null,
        primary key (provider, id)
      ) strict, without rowid
    `.execute(db);
    for (const table of ['models', 'synced_models']) await countVersions(db, table);
  },
};

/** SQLite cannot drop NOT NULL. */
async function rebuildModels(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table stated_models (
      id text primary key not null,
      name text,
      description text,
      category text,
      owned_by text,
      status text not null,
      status_stated integer not null default 0,
      pricing text,
      strategy text,
      tags text,
      capabilities text,
      operations text,
      created_at_ms integer not null,
      origin text not null
    ) strict
  `.execute(db);
  const kept = 'id, category, owned_by, status, pricing, strategy, tags, created_at_ms, origin';
  await sql`insert into stated_models (${sql.raw(kept)}) select ${sql.raw(kept)} from models`.execute(db);
  // These values were defaults of an earlier version for unknown models, not declared facts.
  await sql`update stated_models set owned_by = null where owned_by = 'unknown'`.execute(db);
  await sql`update stated_models set tags = null where tags = '[]'`.execute(db);
  await sql`drop table models`.execute(db);
  await sql`alter table stated_models rename to models`.execute(db);
}

/** Like the first migration does for the directory's other tables. */
async function countVersions(db: Kysely<unknown>, table: string): Promise<void> {
  for (const event of ['insert', 'update', 'delete']) {
    await sql`
      create trigger ${sql.id(`${table}_${event}_version`)} after ${sql.raw(event)} on ${sql.table(table)}
      begin update directory_version set version = version + 1; end
    `.execute(db);
  }
}
