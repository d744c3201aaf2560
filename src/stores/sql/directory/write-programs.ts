import type { DirectoryChanges } from '../../shared/directory-draft.ts';
import type { SecretBox } from '../../shared/secret-box.ts';
import { toAccountRow } from '../../shared/tables/accounts.ts';
import { toChannelRow } from '../../shared/tables/channels.ts';
import { toCredentialRow } from '../../shared/tables/credentials.ts';
import { toModelRow } from '../../shared/tables/models.ts';
import { toSyncedModelRow } from '../../shared/tables/synced-models.ts';
import { ask, type SqlDialect, type SqlProgram } from '../program.ts';

/** A table, its key columns, and the rows to upsert. */
interface PutRows {
  readonly table: string;
  readonly key: readonly string[];
  readonly rows: readonly object[];
}

/** Directory changes in stored form, with sealed channel keys. */
export interface DirectoryRowChanges {
  readonly deleted: {
    readonly models: readonly string[];
    readonly syncedModels: readonly (readonly [provider: string, id: string])[];
    readonly channels: readonly string[];
  };
  /** Ordered by foreign keys, referenced tables first. */
  readonly put: readonly PutRows[];
}

export function toRowChanges({ deleted, put }: DirectoryChanges, box: SecretBox): DirectoryRowChanges {
  const channels = put.channels.map((channel) => toChannelRow(channel, box));
  return {
    deleted: {
      models: deleted.models.map(({ id }) => id),
      syncedModels: deleted.syncedModels.map(({ provider, id }) => [provider, id]),
      channels: deleted.channels.map(({ id }) => id),
    },
    put: [
      { table: 'accounts', key: ['id'], rows: put.accounts.map(toAccountRow) },
      { table: 'credentials', key: ['account_id', 'kind', 'id'], rows: put.credentials.map(toCredentialRow) },
      { table: 'models', key: ['id'], rows: put.models.map(toModelRow) },
      { table: 'synced_models', key: ['provider', 'id'], rows: put.syncedModels.map(toSyncedModelRow) },
      { table: 'channels', key: ['id'], rows: channels },
    ],
  };
}

export function* writingDirectory(dialect: SqlDialect, { deleted, put }: DirectoryRowChanges): SqlProgram<void> {
  yield* deleting(dialect, 'models', deleted.models);
  for (const [provider, id] of deleted.syncedModels) {
    yield* ask(
      dialect,
      (sql) => `DELETE FROM synced_models WHERE provider = ${sql.put(provider)} AND id = ${sql.put(id)}`,
    );
  }
  yield* deleting(dialect, 'channels', deleted.channels);
  for (const rows of put) yield* putting(dialect, rows);
}

function* deleting(dialect: SqlDialect, table: string, ids: readonly string[]): SqlProgram<void> {
  if (ids.length === 0) return;
  const json = JSON.stringify(ids);
  yield* ask(dialect, (sql) => `DELETE FROM ${table} WHERE id ${dialect.inList(sql.put(json), 'text')}`);
}

/** Upserts all rows of a table in one statement. */
function* putting(dialect: SqlDialect, { table, key, rows }: PutRows): SqlProgram<void> {
  const [first] = rows;
  if (first === undefined) return;
  const columns = Object.keys(first);
  const changed = columns.filter((column) => !key.includes(column));
  yield* ask(
    dialect,
    (sql) => `
      INSERT INTO ${table} (${columns.join(', ')})
      SELECT ${columns.join(', ')} FROM ${dialect.tableRowsOf(sql.put(JSON.stringify(rows)), 'came', table, columns)}
      WHERE true
      ON CONFLICT (${key.join(', ')}) DO UPDATE SET
        ${changed.map((column) => `${column} = excluded.${column}`).join(', ')}
    `,
  );
}
