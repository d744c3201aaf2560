import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Creates the tables of configuration objects. STRICT, so that a manual edit cannot store a value of another type. */
export const directoryMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await createAccounts(db);
    await createCredentials(db);
    await createModels(db);
    await createChannels(db);
    await createVersion(db);
  },
};

async function createAccounts(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('accounts')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('admin', 'integer', (column) => column.notNull())
    .addColumn('billing', 'text', (column) => column.notNull())
    .addColumn('requests_per_minute', 'integer')
    .addColumn('created_at_ms', 'integer', (column) => column.notNull())
    .addColumn('origin', 'text', (column) => column.notNull())
    .modifyEnd(sql`strict`)
    .execute();
}

async function createCredentials(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('credentials')
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id'))
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('secret_hash', 'text', (column) => column.notNull())
    .addColumn('preview', 'text', (column) => column.notNull())
    .addColumn('limit_nano_usd', 'text')
    .addColumn('models', 'text')
    .addColumn('created_at_ms', 'integer', (column) => column.notNull())
    .addColumn('revoked_at_ms', 'integer')
    .addColumn('origin', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('credentials_key', ['account_id', 'kind', 'id'])
    .modifyEnd(sql`strict`)
    .execute();
}

async function createModels(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('models')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('category', 'text', (column) => column.notNull())
    .addColumn('owned_by', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('pricing', 'text')
    .addColumn('created_at_ms', 'integer', (column) => column.notNull())
    .addColumn('origin', 'text', (column) => column.notNull())
    .modifyEnd(sql`strict`)
    .execute();
}

async function createChannels(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('channels')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('provider', 'text', (column) => column.notNull())
    .addColumn('base_url', 'text')
    .addColumn('sealed_api_key', 'text')
    .addColumn('settings', 'text', (column) => column.notNull())
    .addColumn('formats', 'text')
    .addColumn('priority', 'integer', (column) => column.notNull())
    .addColumn('weight', 'real', (column) => column.notNull())
    .addColumn('owner', 'text', (column) => column.references('accounts.id'))
    .addColumn('timeouts', 'text', (column) => column.notNull())
    .addColumn('models', 'text', (column) => column.notNull())
    .addColumn('enabled', 'integer', (column) => column.notNull())
    .addColumn('origin', 'text', (column) => column.notNull())
    .modifyEnd(sql`strict`)
    .execute();
}

/**
 * `PRAGMA data_version` would reveal writes of other processes, too. But it also changes with every flush of the request log, so the
 * directory would be reread ten times a second. Triggers count changes of the directory only, including manual edits.
 */
async function createVersion(db: Kysely<unknown>): Promise<void> {
  await sql`create table directory_version (version integer not null) strict`.execute(db);
  await sql`insert into directory_version (version) values (0)`.execute(db);
  for (const table of ['accounts', 'credentials', 'models', 'channels']) {
    for (const event of ['insert', 'update', 'delete']) {
      await sql`
        create trigger ${sql.id(`${table}_${event}_version`)} after ${sql.raw(event)} on ${sql.table(table)}
        begin update directory_version set version = version + 1; end
      `.execute(db);
    }
  }
}
