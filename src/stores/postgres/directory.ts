import type { Pool } from 'pg';
import type { Account } from '../../domain/access/account.ts';
import type { Credential, CredentialKey } from '../../domain/access/api-key.ts';
import { type Principal, principalOf } from '../../domain/access/principal.ts';
import { mapInSlices, Slices } from '../../domain/concurrency/slices.ts';
import type {
  AccountPage,
  CredentialPage,
  DirectoryRows,
  DirectoryScope,
  DirectoryState,
  DirectoryStore,
  DirectoryWriter,
  ServingChanges,
  ServingRows,
} from '../../engine/ports/directory-store.ts';
import {
  type AccountFinder,
  accessRows,
  type ChannelFinder,
  type CredentialFinder,
  channelCondition,
  channelFinderOf,
  type Finder,
  findersOf,
  hasServing,
  missingAccounts,
  NO_SERVING,
} from '../shared/access-scope.ts';
import { accountConditions, keyCounts } from '../shared/account-page.ts';
import { type DirectoryChanges, draftChange } from '../shared/directory-draft.ts';
import {
  type CredentialCountRow,
  credentialCountOf,
  credentialCounts,
  type ServingChangeRow,
  STATE,
  type StateRow,
  servingChanges,
  servingChangesOf,
  stateOf,
  usableKeyAt,
} from '../shared/directory-state.ts';
import { eventLoopTurns } from '../shared/event-loop-turns.ts';
import type { SecretBox } from '../shared/secret-box.ts';
import { type AccountRow, fromAccountRow, toAccountRow } from '../shared/tables/accounts.ts';
import { type ChannelRow, fromChannelRow, toChannelRow } from '../shared/tables/channels.ts';
import { type CredentialRow, fromCredentialRow, toCredentialRow } from '../shared/tables/credentials.ts';
import { fromModelRow, type ModelRow, toModelRow } from '../shared/tables/models.ts';
import { fromSyncedModelRow, type SyncedModelRow, toSyncedModelRow } from '../shared/tables/synced-models.ts';
import { appending, toAuditValues } from '../sql/audit.ts';
import { POSTGRES, runWaiting } from '../sql/program.ts';
import { inTransaction, query, type Session } from './connection.ts';
import { insertFromJson, updateAllBut } from './rows.ts';
import { answerOf } from './runner.ts';

/**
 * The configuration objects in PostgreSQL. A change locks the row of the version before it reads, until it commits: changes run
 * one after another, also those of several nodes, and none has to be tried again.
 */
export class PostgresDirectory implements DirectoryStore {
  readonly #pool: Pool;
  readonly #keyPool: Pool;
  readonly #box: SecretBox;

  constructor({ pool, keyPool, box }: { readonly pool: Pool; readonly keyPool: Pool; readonly box: SecretBox }) {
    this.#pool = pool;
    this.#keyPool = keyPool;
    this.#box = box;
  }

  async read(scope: DirectoryScope): Promise<DirectoryRows> {
    // One snapshot, so that all tables are seen as of one moment.
    return inTransaction(this.#pool, (session) => this.#readRows(session, scope), 'REPEATABLE READ');
  }

  async write<Result>(scope: DirectoryScope, change: (writer: DirectoryWriter) => Result): Promise<Result> {
    return inTransaction(this.#pool, async (session) => {
      await session.query('SELECT version FROM directory_version FOR UPDATE');
      const draft = draftChange(await this.#readRows(session, scope), change);
      if (draft.changes !== null) await this.#apply(session, draft.changes);
      await runWaiting(appending(POSTGRES, draft.audit.map(toAuditValues)), answerOf(session));
      return draft.result;
    });
  }

  async principal(secretHash: string): Promise<Principal | null> {
    const { rows } = await query<PrincipalRow>(this.#keyPool, PRINCIPAL, [secretHash]);
    const [row] = rows;
    return row === undefined
      ? null
      : principalOf(fromAccountRow(row.account), fromCredentialRow(row.credential), secretHash);
  }

  async accounts({ after, limit, only = {} }: AccountPage): Promise<readonly Account[]> {
    // Every id comes after the empty text.
    const values: unknown[] = [after ?? '', limit];
    const conditions = accountConditions(only, 'ILIKE', (value) => `$${values.push(value)}`);
    const page = `SELECT * FROM accounts WHERE ${['id > $1', ...conditions].join(' AND ')} ORDER BY id LIMIT $2`;
    return (await query<AccountRow>(this.#pool, page, values)).rows.map(fromAccountRow);
  }

  async countKeys(accountIds: readonly string[], most: number): Promise<ReadonlyMap<string, number>> {
    const counts = keyCounts('unnest($1::text[]) AS wanted (value)', '$2');
    const { rows } = await query<{ id: string; keys: number | string }>(this.#pool, counts, [accountIds, most]);
    return new Map(rows.map(({ id, keys }) => [id, Number(keys)]));
  }

  async credentials({ accountId, kind, after, limit }: CredentialPage): Promise<readonly Credential[]> {
    const values: unknown[] = [limit];
    const mark = (value: string) => `$${values.push(value)}`;
    const conditions = ['true'];
    if (accountId !== undefined) conditions.push(`account_id = ${mark(accountId)}`);
    // Written into the statement: only so is the index of the few tokens used.
    if (kind !== undefined) conditions.push(kind === 'management' ? "kind = 'management'" : "kind = 'inference'");
    if (after !== null) {
      const place = [after.accountId, after.kind, after.id].map(mark).join(', ');
      conditions.push(`(account_id, kind, id) > (${place})`);
    }
    const page = `SELECT * FROM credentials WHERE ${conditions.join(' AND ')} ORDER BY account_id, kind, id LIMIT $1`;
    return (await query<CredentialRow>(this.#pool, page, values)).rows.map(fromCredentialRow);
  }

  async hasUsableKey(nowMs: number): Promise<boolean> {
    return (await query(this.#pool, usableKeyAt('$1'), [nowMs])).rows.length > 0;
  }

  async state(): Promise<DirectoryState> {
    const { rows } = await query<StateRow>(this.#pool, STATE);
    const [row] = rows;
    return stateOf(row);
  }

  async accountsChangedSince(accessVersion: number, most: number): Promise<readonly string[] | null> {
    const changed = 'SELECT account_id FROM account_changes WHERE version > $1 LIMIT $2';
    const { rows } = await query<{ account_id: string }>(this.#pool, changed, [accessVersion, most + 1]);
    return rows.length > most ? null : rows.map((row) => row.account_id);
  }

  async servingChangedSince(servingVersion: number, most: number): Promise<ServingChanges | null> {
    const changed = servingChanges('$1', '$2');
    const { rows } = await query<ServingChangeRow>(this.#pool, changed, [servingVersion, most + 1]);
    return servingChangesOf(rows, most);
  }

  async #readRows(session: Session, scope: DirectoryScope): Promise<DirectoryRows> {
    const serving = await this.#readServing(session, scope);
    const finders = findersOf(scope);
    const credentials: Credential[] = [];
    for (const finder of finders.credentials) credentials.push(...(await readCredentials(session, finder)));
    if (finders.keys.length > 0) credentials.push(...(await credentialsByKey(session, finders.keys)));
    const accounts: Account[] = [];
    for (const finder of finders.accounts) accounts.push(...(await readAccounts(session, finder)));
    const others = missingAccounts(accounts, credentials, serving.channels);
    if (others !== null) accounts.push(...(await readAccounts(session, others)));
    return { ...accessRows(accounts, credentials), ...(await readCounts(session, scope)), ...serving };
  }

  async #readServing(session: Session, scope: DirectoryScope): Promise<ServingRows> {
    const slices = new Slices(eventLoopTurns);
    const channels = await readChannels(session, channelFinderOf(scope));
    const serving: ServingRows = {
      ...NO_SERVING,
      channels: await mapInSlices(channels, slices, (row) => fromChannelRow(row, this.#box)),
    };
    if (!hasServing(scope)) return serving;
    const models = await session.query<ModelRow>('SELECT * FROM models ORDER BY id');
    const syncedModels = await session.query<SyncedModelRow>('SELECT * FROM synced_models ORDER BY provider, id');
    return {
      ...serving,
      models: await mapInSlices(models.rows, slices, fromModelRow),
      syncedModels: await mapInSlices(syncedModels.rows, slices, fromSyncedModelRow),
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

const PRINCIPAL = `
  SELECT row_to_json(accounts) AS account, row_to_json(credentials) AS credential
  FROM (
    SELECT account_id, kind, id FROM credentials WHERE secret_hash = $1
    UNION ALL SELECT account_id, kind, credential_id FROM retired_secrets WHERE secret_hash = $1
  ) AS found JOIN credentials USING (account_id, kind, id) JOIN accounts ON accounts.id = account_id
  ORDER BY secret_hash = $1 DESC, account_id DESC, kind DESC, credentials.id DESC LIMIT 1
`;

interface PrincipalRow {
  readonly account: AccountRow;
  readonly credential: CredentialRow;
}

async function readCounts(session: Session, scope: DirectoryScope): Promise<Pick<DirectoryRows, 'counts'>> {
  if (scope === 'all' || scope.countsOf === undefined) return {};
  const { rows } = await session.query<CredentialCountRow>(credentialCounts('= ANY($1)'), [scope.countsOf]);
  return { counts: rows.map(credentialCountOf) };
}

async function readChannels(session: Session, finder: ChannelFinder): Promise<readonly ChannelRow[]> {
  const values: (readonly string[])[] = [];
  const condition = channelCondition(finder, (column, list) => `${column} = ANY($${values.push(list)})`);
  if (condition === null) return [];
  return (await session.query<ChannelRow>(`SELECT * FROM channels WHERE ${condition} ORDER BY id`, values)).rows;
}

async function readAccounts(session: Session, finder: AccountFinder | null): Promise<readonly Account[]> {
  return (await rowsOf<AccountRow>(session, 'accounts', finder)).map(fromAccountRow);
}

async function readCredentials(session: Session, finder: CredentialFinder | null): Promise<readonly Credential[]> {
  const rows = await rowsOf<CredentialRow>(session, 'credentials', finder);
  if (finder?.column === 'secret_hash')
    rows.push(...(await session.query<CredentialRow>(RETIRED, [finder.values])).rows);
  return rows.map(fromCredentialRow);
}

/** Whose secrets they were. */
const RETIRED = `
  SELECT credentials.* FROM credentials JOIN retired_secrets AS retired
    ON retired.account_id = credentials.account_id AND retired.kind = credentials.kind AND credential_id = credentials.id
  WHERE retired.secret_hash = ANY($1)
`;

async function credentialsByKey(session: Session, keys: readonly CredentialKey[]): Promise<readonly Credential[]> {
  const wanted = `SELECT credentials.* FROM credentials
    JOIN unnest($1::text[], $2::text[], $3::text[]) AS wanted (account_id, kind, id) USING (account_id, kind, id)`;
  const columns = [keys.map(({ accountId }) => accountId), keys.map(({ kind }) => kind), keys.map(({ id }) => id)];
  return (await session.query<CredentialRow>(wanted, columns)).rows.map(fromCredentialRow);
}

async function rowsOf<Row extends object>(session: Session, table: string, finder: Finder | null): Promise<Row[]> {
  if (finder === null) return (await session.query<Row>(`SELECT * FROM ${table}`)).rows;
  const found = `SELECT * FROM ${table} WHERE ${finder.column} = ANY($1)`;
  return (await session.query<Row>(found, [finder.values])).rows;
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
