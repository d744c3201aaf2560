import type { DirectoryChanges } from '../../shared/directory-draft.ts';
import type { SecretBox } from '../../shared/secret-box.ts';
import { toAccountRow } from '../../shared/tables/accounts.ts';
import { toChannelRow } from '../../shared/tables/channels.ts';
import { toCredentialRow } from '../../shared/tables/credentials.ts';
import { toGuardRow } from '../../shared/tables/guards.ts';
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
    readonly guards: readonly string[];
  };
  /** Ordered by foreign keys, referenced tables first. */
  readonly put: readonly PutRows[];
  /** The upstream keys of the written channels. */
  readonly upstreamKeys: readonly { readonly channel_id: string; readonly upstream_key: string }[];
  /** The ids of the written channels. */
  readonly channelIds: readonly string[];
}

export function toRowChanges({ deleted, put }: DirectoryChanges, box: SecretBox): DirectoryRowChanges {
  const channels = put.channels.map((channel) => toChannelRow(channel, box));
  return {
    deleted: {
      models: deleted.models.map(({ id }) => id),
      syncedModels: deleted.syncedModels.map(({ provider, id }) => [provider, id]),
      channels: deleted.channels.map(({ id }) => id),
      guards: (deleted.guards ?? []).map(({ id }) => id),
    },
    put: [
      { table: 'accounts', key: ['id'], rows: put.accounts.map(toAccountRow) },
      { table: 'credentials', key: ['account_id', 'kind', 'id'], rows: put.credentials.map(toCredentialRow) },
      { table: 'models', key: ['id'], rows: put.models.map(toModelRow) },
      { table: 'synced_models', key: ['provider', 'id'], rows: put.syncedModels.map(toSyncedModelRow) },
      { table: 'channels', key: ['id'], rows: channels },
      { table: 'guards', key: ['id'], rows: (put.guards ?? []).map((guard) => toGuardRow(guard, box)) },
    ],
    channelIds: channels.map(({ id }) => id),
    upstreamKeys: put.channels.flatMap(({ id, apiKeys = [] }) =>
      apiKeys.map((key) => ({ channel_id: id, upstream_key: key.id ?? '' })),
    ),
  };
}

export function* writingDirectory(dialect: SqlDialect, changes: DirectoryRowChanges): SqlProgram<void> {
  const { deleted, put } = changes;
  yield* deleting(dialect, 'models', deleted.models);
  for (const [provider, id] of deleted.syncedModels) {
    yield* ask(
      dialect,
      (sql) => `DELETE FROM synced_models WHERE provider = ${sql.put(provider)} AND id = ${sql.put(id)}`,
    );
  }
  yield* deleting(dialect, 'channels', deleted.channels);
  yield* deleting(dialect, 'guards', deleted.guards);
  for (const rows of put) yield* putting(dialect, rows);
  yield* forgettingKeys(dialect, changes);
}

const KEY_COLUMNS = { channel_id: 'text', upstream_key: 'text' } as const;

/** Deletes the health and the spending of upstream keys that the written channels no longer have. */
function* forgettingKeys(
  dialect: SqlDialect,
  { channelIds, upstreamKeys }: Pick<DirectoryRowChanges, 'channelIds' | 'upstreamKeys'>,
): SqlProgram<void> {
  if (channelIds.length === 0) return;
  const [ids, keys] = [JSON.stringify(channelIds), JSON.stringify(upstreamKeys)];
  for (const table of ['upstream_key_health', 'upstream_key_spending']) {
    yield* ask(
      dialect,
      (sql) => `
        DELETE FROM ${table} WHERE channel_id ${dialect.inList(sql.put(ids), 'text')} AND NOT EXISTS (
          SELECT 1 FROM ${dialect.rowsOf(sql.put(keys), 'kept', KEY_COLUMNS)}
          WHERE kept.channel_id = ${table}.channel_id AND kept.upstream_key = ${table}.upstream_key
        )
      `,
    );
  }
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
