import type { Database } from 'bun:sqlite';
import type { Kysely } from 'kysely';
import type { DirectoryRows, DirectoryStore, DirectoryWriter } from '../../engine/ports/directory-store.ts';
import { errorCodeOf } from '../shared/error-code.ts';
import { channelWithoutOwner, credentialWithoutAccount, refusePromise } from '../shared/references.ts';
import type { SecretBox } from '../shared/secret-box.ts';
import { fromAccountRow, toAccountRow } from '../shared/tables/accounts.ts';
import { fromChannelRow, toChannelRow } from '../shared/tables/channels.ts';
import { fromCredentialRow, toCredentialRow } from '../shared/tables/credentials.ts';
import { fromModelRow, toModelRow } from '../shared/tables/models.ts';
import type { Schema } from '../shared/tables/schema.ts';
import { fromSyncedModelRow, toSyncedModelRow } from '../shared/tables/synced-models.ts';
import { inTransaction } from './connection.ts';
import { runCompiled } from './dialect.ts';

/**
 * The configuration objects in SQLite. Kysely only writes the SQL; it is run synchronously, so that a transaction never
 * spans a turn of the event loop and a connection is never caught in the middle of one.
 */
export class SqliteDirectory implements DirectoryStore {
  readonly #database: Database;
  readonly #db: Kysely<Schema>;
  readonly #box: SecretBox;
  readonly #writer: DirectoryWriter;

  constructor(database: Database, db: Kysely<Schema>, box: SecretBox) {
    this.#database = database;
    this.#db = db;
    this.#box = box;
    this.#writer = this.#makeWriter();
  }

  async read(): Promise<DirectoryRows> {
    // One transaction, so that all tables are seen as of one moment.
    return inTransaction(this.#database, 'DEFERRED', () => this.#readRows());
  }

  async write<Result>(change: (writer: DirectoryWriter) => Result): Promise<Result> {
    return inTransaction(this.#database, 'IMMEDIATE', () => {
      const result = change(this.#writer);
      refusePromise(result);
      return result;
    });
  }

  async version(): Promise<number> {
    return this.#database.query<{ version: number }, []>('SELECT version FROM directory_version').get()?.version ?? 0;
  }

  #readRows(): DirectoryRows {
    const database = this.#database;
    const db = this.#db;
    const accounts = db.selectFrom('accounts').selectAll().orderBy('id').compile();
    const credentials = db.selectFrom('credentials').selectAll().orderBy('account_id').orderBy('kind').orderBy('id');
    const models = db.selectFrom('models').selectAll().orderBy('id').compile();
    const syncedModels = db.selectFrom('synced_models').selectAll().orderBy('provider').orderBy('id').compile();
    const channels = db.selectFrom('channels').selectAll().orderBy('id').compile();
    return {
      accounts: runCompiled(database, accounts).map(fromAccountRow),
      credentials: runCompiled(database, credentials.compile()).map(fromCredentialRow),
      models: runCompiled(database, models).map(fromModelRow),
      syncedModels: runCompiled(database, syncedModels).map(fromSyncedModelRow),
      channels: runCompiled(database, channels).map((row) => fromChannelRow(row, this.#box)),
    };
  }

  #makeWriter(): DirectoryWriter {
    const database = this.#database;
    const db = this.#db;
    return {
      read: () => this.#readRows(),
      putAccount(account) {
        const row = toAccountRow(account);
        const insert = db.insertInto('accounts').values(row);
        runCompiled(database, insert.onConflict((conflict) => conflict.column('id').doUpdateSet(row)).compile());
      },
      putCredential(credential) {
        const row = toCredentialRow(credential);
        const insert = db
          .insertInto('credentials')
          .values(row)
          .onConflict((conflict) => conflict.columns(['account_id', 'kind', 'id']).doUpdateSet(row));
        withReference(
          () => runCompiled(database, insert.compile()),
          () => credentialWithoutAccount(credential),
        );
      },
      putModel(model) {
        const row = toModelRow(model);
        const insert = db.insertInto('models').values(row);
        runCompiled(database, insert.onConflict((conflict) => conflict.column('id').doUpdateSet(row)).compile());
      },
      deleteModel(id) {
        runCompiled(database, db.deleteFrom('models').where('id', '=', id).compile());
      },
      putSyncedModel(model) {
        const row = toSyncedModelRow(model);
        const insert = db.insertInto('synced_models').values(row);
        const put = insert.onConflict((conflict) => conflict.columns(['provider', 'id']).doUpdateSet(row));
        runCompiled(database, put.compile());
      },
      deleteSyncedModel(provider, id) {
        const gone = db.deleteFrom('synced_models').where('provider', '=', provider).where('id', '=', id);
        runCompiled(database, gone.compile());
      },
      putChannel: (channel) => {
        const row = toChannelRow(channel, this.#box);
        const insert = db.insertInto('channels').values(row);
        withReference(
          () =>
            runCompiled(database, insert.onConflict((conflict) => conflict.column('id').doUpdateSet(row)).compile()),
          () => channelWithoutOwner(channel),
        );
      },
      deleteChannel(id) {
        runCompiled(database, db.deleteFrom('channels').where('id', '=', id).compile());
      },
    };
  }
}

/** Says which reference was violated, where SQLite only says that one was. */
function withReference(put: () => void, violated: () => Error): void {
  try {
    put();
  } catch (error) {
    throw errorCodeOf(error) === 'SQLITE_CONSTRAINT_FOREIGNKEY' ? violated() : error;
  }
}
