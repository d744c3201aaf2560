import type { Database } from 'bun:sqlite';
import { type Kysely, sql } from 'kysely';
import type { Account } from '../../domain/access/account.ts';
import type { Credential, CredentialKey } from '../../domain/access/api-key.ts';
import { type Principal, principalOf } from '../../domain/access/principal.ts';
import { mapInSlices, Slices, type Turns } from '../../domain/concurrency/slices.ts';
import type {
  AccessRows,
  AccountFilter,
  AccountPage,
  CredentialPage,
  DirectoryRows,
  DirectoryScope,
  DirectoryState,
  DirectoryStore,
  DirectoryWriter,
  ServingChanges,
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
} from '../shared/access-scope.ts';
import { accountConditions, keyCounts } from '../shared/account-page.ts';
import { draftChange } from '../shared/directory-draft.ts';
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
import { type AccountRow, fromAccountRow } from '../shared/tables/accounts.ts';
import { type ChannelRow, fromChannelRow } from '../shared/tables/channels.ts';
import { type CredentialRow, fromCredentialRow } from '../shared/tables/credentials.ts';
import { fromModelRow, type ModelRow } from '../shared/tables/models.ts';
import type { Schema } from '../shared/tables/schema.ts';
import { fromSyncedModelRow, type SyncedModelRow } from '../shared/tables/synced-models.ts';
import { type BooksLink, transact } from './books-link.ts';
import { inTransaction } from './connection.ts';
import { runCompiled } from './dialect.ts';
import { toDirectoryRows } from './directory-writer.ts';
import type { ReadingThread } from './reading-thread.ts';

export interface SqliteDirectoryOptions {
  /** A connection for reading. */
  readonly database: Database;
  /** It only writes the SQL. */
  readonly db: Kysely<Schema>;
  readonly box: SecretBox;
  readonly reading: ReadingThread;
  readonly thread: BooksLink;
  /** The event loop's, which a test may watch. */
  readonly turns?: Turns;
}

interface StoredServing {
  readonly models: readonly ModelRow[];
  readonly syncedModels: readonly SyncedModelRow[];
  readonly channels: readonly ChannelRow[];
}

/**
 * The configuration objects in SQLite. Kysely only writes the SQL; it is run synchronously, so that a transaction never
 * spans a turn of the event loop and a connection is never caught in the middle of one.
 */
export class SqliteDirectory implements DirectoryStore {
  readonly #database: Database;
  readonly #db: Kysely<Schema>;
  readonly #box: SecretBox;
  readonly #reading: ReadingThread;
  readonly #thread: BooksLink;
  readonly #turns: Turns;

  constructor({ database, db, box, reading, thread, turns = eventLoopTurns }: SqliteDirectoryOptions) {
    this.#turns = turns;
    this.#database = database;
    this.#db = db;
    this.#box = box;
    this.#reading = reading;
    this.#thread = thread;
  }

  async read(scope: DirectoryScope): Promise<DirectoryRows> {
    // One transaction, so that all tables are seen as of one moment.
    const { serving, ...access } = inTransaction(this.#database, 'DEFERRED', () => this.#readRows(scope));
    const slices = new Slices(this.#turns);
    return {
      ...access,
      models: await mapInSlices(serving.models, slices, fromModelRow),
      syncedModels: await mapInSlices(serving.syncedModels, slices, fromSyncedModelRow),
      channels: await mapInSlices(serving.channels, slices, (row) => fromChannelRow(row, this.#box)),
    };
  }

  write<Result>(scope: DirectoryScope, change: (writer: DirectoryWriter) => Result): Promise<Result> {
    // Within the transaction nobody else writes, so what is read here stays true until its end.
    return transact(this.#thread, async () => {
      const { result, changes, audit } = draftChange(await this.read(scope), change);
      return { result, audit, directory: changes && toDirectoryRows(changes, this.#box) };
    });
  }

  principal(secretHash: string): Principal | null {
    const find = (sql: string) => this.#database.query<CredentialRow, [string]>(sql).get(secretHash);
    const credential = find(BY_SECRET) ?? find(BY_RETIRED_SECRET);
    if (credential === null) return null;
    const account = this.#database
      .query<AccountRow, [string]>('SELECT * FROM accounts WHERE id = ?')
      .get(credential.account_id);
    return account === null ? null : principalOf(fromAccountRow(account), fromCredentialRow(credential), secretHash);
  }

  async accounts({ after, limit, only }: AccountPage): Promise<readonly Account[]> {
    if (only !== undefined) return this.#accounts({ column: 'id', values: await this.#found(after, limit, only) });
    const page = this.#db.selectFrom('accounts').selectAll().orderBy('id').limit(limit);
    const rest = after === null ? page : page.where('id', '>', after);
    return runCompiled(this.#database, rest.compile()).map(fromAccountRow);
  }

  async countKeys(accountIds: readonly string[], most: number): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#reading.rows<{ id: string; keys: bigint }>(keyCounts('json_each(?1) AS wanted', '?2'), [
      JSON.stringify(accountIds),
      most,
    ]);
    return new Map(rows.map(({ id, keys }) => [id, Number(keys)]));
  }

  async credentials({ accountId, kind, after, limit }: CredentialPage): Promise<readonly Credential[]> {
    const place = sql`(account_id, kind, id)`;
    let page = this.#db.selectFrom('credentials').selectAll();
    if (accountId !== undefined) page = page.where('account_id', '=', accountId);
    // Written into the statement: only so is the index of the few tokens used.
    if (kind !== undefined) page = page.where('kind', '=', sql.lit(kind));
    if (after !== null) page = page.where(sql<boolean>`${place} > (${after.accountId}, ${after.kind}, ${after.id})`);
    const found = page.orderBy('account_id').orderBy('kind').orderBy('id').limit(limit);
    return runCompiled(this.#database, found.compile()).map(fromCredentialRow);
  }

  async hasUsableKey(nowMs: number): Promise<boolean> {
    return this.#database.query<object, [number]>(usableKeyAt('?')).get(nowMs) !== null;
  }

  async state(): Promise<DirectoryState> {
    const row = this.#database.query<StateRow, []>(STATE).get();
    return stateOf(row);
  }

  async accountsChangedSince(accessVersion: number, most: number): Promise<readonly string[] | null> {
    const changed = this.#database.query<{ account_id: string }, [number, number]>(
      'SELECT account_id FROM account_changes WHERE version > ? LIMIT ?',
    );
    const rows = changed.all(accessVersion, most + 1);
    return rows.length > most ? null : rows.map((row) => row.account_id);
  }

  /** Beside the thread that serves: a rare text is looked for in all accounts. */
  async #found(after: string | null, limit: number, only: AccountFilter): Promise<readonly string[]> {
    const values: string[] = [];
    const mark = (value: string) => `?${values.push(value)}`;
    const conditions = [`id > ${mark(after ?? '')}`, ...accountConditions(only, 'LIKE', mark)];
    const sql = `SELECT id FROM accounts WHERE ${conditions.join(' AND ')} ORDER BY id LIMIT ${limit}`;
    return (await this.#reading.rows<{ id: string }>(sql, values)).map(({ id }) => id);
  }

  async servingChangedSince(servingVersion: number, most: number): Promise<ServingChanges | null> {
    const changed = this.#database.query<ServingChangeRow, [number, number]>(servingChanges('?', '?'));
    return servingChangesOf(changed.all(servingVersion, most + 1), most);
  }

  #readRows(scope: DirectoryScope): AccessRows & { readonly serving: StoredServing } {
    const serving = this.#serving(scope);
    const finders = findersOf(scope);
    const credentials = finders.credentials.flatMap((finder) => this.#credentials(finder));
    if (finders.keys.length > 0) credentials.push(...this.#credentialsByKey(finders.keys));
    const accounts = finders.accounts.flatMap((finder) => this.#accounts(finder));
    const others = missingAccounts(accounts, credentials, serving.channels);
    if (others !== null) accounts.push(...this.#accounts(others));
    return { ...accessRows(accounts, credentials), ...this.#counts(scope), serving };
  }

  #counts(scope: DirectoryScope): Pick<AccessRows, 'counts'> {
    if (scope === 'all' || scope.countsOf === undefined) return {};
    const counts = this.#database.query<CredentialCountRow, [string]>(
      credentialCounts('IN (SELECT value FROM json_each(?))'),
    );
    return { counts: counts.all(JSON.stringify(scope.countsOf)).map(credentialCountOf) };
  }

  #serving(scope: DirectoryScope): StoredServing {
    const channels = this.#channels(channelFinderOf(scope));
    if (!hasServing(scope)) return { models: [], syncedModels: [], channels };
    const models = this.#db.selectFrom('models').selectAll().orderBy('id').compile();
    const syncedModels = this.#db.selectFrom('synced_models').selectAll().orderBy('provider').orderBy('id').compile();
    return {
      models: runCompiled(this.#database, models),
      syncedModels: runCompiled(this.#database, syncedModels),
      channels,
    };
  }

  #channels(finder: ChannelFinder): readonly ChannelRow[] {
    const values: string[] = [];
    const mark = (list: readonly string[]) => `(SELECT value FROM json_each(?${values.push(JSON.stringify(list))}))`;
    const condition = channelCondition(finder, (column, list) => `${column} IN ${mark(list)}`);
    if (condition === null) return [];
    const sql = `SELECT * FROM channels WHERE ${condition} ORDER BY id`;
    return this.#database.query<ChannelRow, string[]>(sql).all(...values);
  }

  #accounts(finder: AccountFinder | null): Account[] {
    const all = this.#db.selectFrom('accounts').selectAll().orderBy('id');
    const found = finder === null ? all : all.where(finder.column, 'in', listed(finder));
    return runCompiled(this.#database, found.compile()).map(fromAccountRow);
  }

  #credentials(finder: CredentialFinder | null): Credential[] {
    const all = this.#db.selectFrom('credentials').selectAll().orderBy('account_id').orderBy('kind').orderBy('id');
    const found = finder === null ? all : all.where(finder.column, 'in', listed(finder));
    const rows = runCompiled(this.#database, found.compile()).map(fromCredentialRow);
    return finder?.column === 'secret_hash' ? [...rows, ...this.#credentialsByRetired(finder)] : rows;
  }

  #credentialsByRetired({ values }: Finder): Credential[] {
    return this.#database.query<CredentialRow, [string]>(RETIRED).all(JSON.stringify(values)).map(fromCredentialRow);
  }

  #credentialsByKey(keys: readonly CredentialKey[]): Credential[] {
    const places = JSON.stringify(keys.map(({ accountId, kind, id }) => [accountId, kind, id]));
    return this.#database.query<CredentialRow, [string]>(BY_KEY).all(places).map(fromCredentialRow);
  }
}

const BY_SECRET =
  'SELECT * FROM credentials WHERE secret_hash = ? ORDER BY account_id DESC, kind DESC, id DESC LIMIT 1';

const JOIN_RETIRED = `
  JOIN retired_secrets AS retired
    ON retired.account_id = credentials.account_id AND retired.kind = credentials.kind AND credential_id = credentials.id
`;

/** Whose secret it was. */
const BY_RETIRED_SECRET = `SELECT credentials.* FROM credentials ${JOIN_RETIRED} WHERE retired.secret_hash = ?`;
const RETIRED = `
  SELECT credentials.* FROM credentials ${JOIN_RETIRED}
  WHERE retired.secret_hash IN (SELECT value FROM json_each(?))
`;

/** Looks each of them up in the primary key. */
const BY_KEY = `
  SELECT credentials.* FROM json_each(?) AS wanted CROSS JOIN credentials
    ON account_id = wanted.value ->> 0 AND kind = wanted.value ->> 1 AND credentials.id = wanted.value ->> 2
`;

/** As one parameter, of which a statement may have 32,766. */
function listed({ values }: Finder) {
  return sql<string>`(select value from json_each(${JSON.stringify(values)}))`;
}
