import type { Pool } from 'pg';
import type { DirectoryRows, DirectoryStore, DirectoryWriter } from '../../engine/ports/directory-store.ts';
import { type DirectoryChanges, draftChange } from '../shared/directory-draft.ts';
import type { SecretBox } from '../shared/secret-box.ts';
import { type AccountRow, fromAccountRow, toAccountRow } from '../shared/tables/accounts.ts';
import { type ChannelRow, fromChannelRow, toChannelRow } from '../shared/tables/channels.ts';
import { type CredentialRow, fromCredentialRow, toCredentialRow } from '../shared/tables/credentials.ts';
import { fromModelRow, type ModelRow, toModelRow } from '../shared/tables/models.ts';
import { fromSyncedModelRow, type SyncedModelRow, toSyncedModelRow } from '../shared/tables/synced-models.ts';
import { inTransaction, query, type Session } from './connection.ts';
import { insertFromJson, updateAllBut } from './rows.ts';

/**
 * The configuration objects in PostgreSQL. Whoever changes them holds the row of the version from before he reads until he
 * commits: changes come one after another, also those of several nodes, and none has to be tried again.
 */
export class PostgresDirectory implements DirectoryStore {
  readonly #pool: Pool;
  readonly #box: SecretBox;

  constructor(pool: Pool, box: SecretBox) {
    this.#pool = pool;
    this.#box = box;
  }

  async read(): Promise<DirectoryRows> {
    // One snapshot, so that all tables are seen as of one moment.
    return inTransaction(this.#pool, (session) => this.#readRows(session), 'REPEATABLE READ');
  }

  async write<Result>(change: (writer: DirectoryWriter) => Result): Promise<Result> {
    return inTransaction(this.#pool, async (session) => {
      await session.query('SELECT version FROM directory_version FOR UPDATE');
      const draft = draftChange(await this.#readRows(session), change);
      if (draft.changes !== null) await this.#apply(session, draft.changes);
      return draft.result;
    });
  }

  async version(): Promise<number> {
    const { rows } = await query<{ version: bigint }>(this.#pool, 'SELECT version FROM directory_version');
    return Number(rows[0]?.version ?? 0);
  }

  async #readRows(session: Session): Promise<DirectoryRows> {
    const accounts = await session.query<AccountRow>('SELECT * FROM accounts ORDER BY id');
    const credentials = await session.query<CredentialRow>('SELECT * FROM credentials ORDER BY account_id, kind, id');
    const models = await session.query<ModelRow>('SELECT * FROM models ORDER BY id');
    const syncedModels = await session.query<SyncedModelRow>('SELECT * FROM synced_models ORDER BY provider, id');
    const channels = await session.query<ChannelRow>('SELECT * FROM channels ORDER BY id');
    return {
      accounts: accounts.rows.map(fromAccountRow),
      credentials: credentials.rows.map(fromCredentialRow),
      models: models.rows.map(fromModelRow),
      syncedModels: syncedModels.rows.map(fromSyncedModelRow),
      channels: channels.rows.map((row) => fromChannelRow(row, this.#box)),
    };
  }

  async #apply(session: Session, { deleted, put }: DirectoryChanges): Promise<void> {
    await deleteRows(session, 'models', deleted.models);
    for (const { provider, id } of deleted.syncedModels) {
      await session.query('DELETE FROM synced_models WHERE provider = $1 AND id = $2', [provider, id]);
    }
    await deleteRows(session, 'channels', deleted.channels);
    await putRows(session, 'accounts', ['id'], put.accounts.map(toAccountRow));
    await putRows(session, 'credentials', ['account_id', 'kind', 'id'], put.credentials.map(toCredentialRow));
    await putRows(session, 'models', ['id'], put.models.map(toModelRow));
    await putRows(session, 'synced_models', ['provider', 'id'], put.syncedModels.map(toSyncedModelRow));
    const channels = put.channels.map((channel) => toChannelRow(channel, this.#box));
    await putRows(session, 'channels', ['id'], channels);
  }
}

async function deleteRows(
  session: Session,
  table: 'models' | 'channels',
  rows: readonly { id: string }[],
): Promise<void> {
  const ids = rows.map(({ id }) => id);
  if (ids.length > 0) await session.query(`DELETE FROM ${table} WHERE id = ANY($1)`, [ids]);
}

async function putRows(session: Session, table: string, keys: readonly string[], rows: readonly object[]) {
  const [first] = rows;
  if (first === undefined) return;
  const columns = Object.keys(first);
  const sql = `${insertFromJson(table, columns)} ${updateAllBut(keys, columns)}`;
  await session.query(sql, [JSON.stringify(rows)]);
}
