import type { Database, SQLQueryBindings } from 'bun:sqlite';
import type { DirectoryChanges } from '../shared/directory-draft.ts';
import type { SecretBox } from '../shared/secret-box.ts';
import { type AccountRow, toAccountRow } from '../shared/tables/accounts.ts';
import { type ChannelRow, toChannelRow } from '../shared/tables/channels.ts';
import { type CredentialRow, toCredentialRow } from '../shared/tables/credentials.ts';
import { type ModelRow, toModelRow } from '../shared/tables/models.ts';
import { type SyncedModelRow, toSyncedModelRow } from '../shared/tables/synced-models.ts';

/** Changes of the directory as they are written: keys of channels are sealed. */
export interface DirectoryRowChanges {
  readonly deleted: {
    readonly models: readonly string[];
    readonly syncedModels: readonly (readonly [provider: string, id: string])[];
    readonly channels: readonly string[];
  };
  readonly put: {
    readonly accounts: readonly AccountRow[];
    readonly credentials: readonly CredentialRow[];
    readonly models: readonly ModelRow[];
    readonly synced_models: readonly SyncedModelRow[];
    readonly channels: readonly ChannelRow[];
  };
}

/** What tells a row of a table apart from the others; in the order in which they refer to each other. */
const KEYS: { readonly [Table in keyof DirectoryRowChanges['put']]: readonly string[] } = {
  accounts: ['id'],
  credentials: ['account_id', 'kind', 'id'],
  models: ['id'],
  synced_models: ['provider', 'id'],
  channels: ['id'],
};

export function toDirectoryRows({ deleted, put }: DirectoryChanges, box: SecretBox): DirectoryRowChanges {
  return {
    deleted: {
      models: deleted.models.map(({ id }) => id),
      syncedModels: deleted.syncedModels.map(({ provider, id }) => [provider, id]),
      channels: deleted.channels.map(({ id }) => id),
    },
    put: {
      accounts: put.accounts.map(toAccountRow),
      credentials: put.credentials.map(toCredentialRow),
      models: put.models.map(toModelRow),
      synced_models: put.syncedModels.map(toSyncedModelRow),
      channels: put.channels.map((channel) => toChannelRow(channel, box)),
    },
  };
}

/** Within the transaction that is open on this connection. */
export function applyDirectoryRows(database: Database, { deleted, put }: DirectoryRowChanges): void {
  for (const id of deleted.models) database.query('DELETE FROM models WHERE id = ?').run(id);
  const deleteSynced = 'DELETE FROM synced_models WHERE provider = ? AND id = ?';
  for (const place of deleted.syncedModels) database.query(deleteSynced).run(...place);
  for (const id of deleted.channels) database.query('DELETE FROM channels WHERE id = ?').run(id);
  for (const table of Object.keys(KEYS) as (keyof typeof KEYS)[]) {
    for (const row of put[table]) putRow(database, table, row);
  }
}

/** In a statement of the columns that the row has. */
function putRow(database: Database, table: keyof typeof KEYS, row: object): void {
  const columns = Object.keys(row);
  const changed = columns.filter((column) => !KEYS[table].includes(column));
  const sql = `
    INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})
    ON CONFLICT (${KEYS[table].join(', ')}) DO UPDATE SET
      ${changed.map((column) => `${column} = excluded.${column}`).join(', ')}
  `;
  database.query(sql).run(...(Object.values(row) as SQLQueryBindings[])); // Tables' rows hold nothing but SQLite's own values.
}
