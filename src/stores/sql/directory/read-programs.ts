import type { Account } from '../../../domain/access/account.ts';
import type { Credential, CredentialKey } from '../../../domain/access/api-key.ts';
import {
  type AccessRows,
  type AccountPage,
  type CredentialPage,
  type DirectoryScope,
  MOST_NAMING,
} from '../../../engine/ports/directory-store.ts';
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
} from '../../shared/access-scope.ts';
import { accountConditions, containing, likePattern } from '../../shared/account-page.ts';
import { type CredentialCountRow, credentialCountOf, credentialCounts } from '../../shared/directory-state.ts';
import { type AccountRow, fromAccountRow } from '../../shared/tables/accounts.ts';
import type { ChannelRow } from '../../shared/tables/channels.ts';
import { type CredentialRow, fromCredentialRow } from '../../shared/tables/credentials.ts';
import type { GuardRow } from '../../shared/tables/guards.ts';
import type { ModelRow } from '../../shared/tables/models.ts';
import type { SyncedModelRow } from '../../shared/tables/synced-models.ts';
import { ask, type SqlDialect, type SqlProgram, type Values } from '../program.ts';

/** Undecoded rows. For large directories decoding takes so long that it must yield in between. */
export interface StoredServing {
  readonly models: readonly ModelRow[];
  readonly syncedModels: readonly SyncedModelRow[];
  readonly channels: readonly ChannelRow[];
  readonly guards: readonly GuardRow[];
}

export type StoredDirectory = AccessRows & { readonly serving: StoredServing };

export function* readingDirectory(dialect: SqlDialect, scope: DirectoryScope): SqlProgram<StoredDirectory> {
  const serving = yield* readingServing(dialect, scope);
  const finders = findersOf(scope);
  const credentials: Credential[] = [];
  for (const finder of finders.credentials) credentials.push(...(yield* readingCredentials(dialect, finder)));
  if (finders.keys.length > 0) credentials.push(...(yield* credentialsByKey(dialect, finders.keys)));
  const accounts: Account[] = [];
  for (const finder of finders.accounts) accounts.push(...(yield* readingAccounts(dialect, finder)));
  if (scope !== 'all' && scope.naming !== undefined) {
    accounts.push(...(yield* naming<AccountRow>(dialect, 'accounts', scope.naming)).map(fromAccountRow));
    credentials.push(...(yield* naming<CredentialRow>(dialect, 'credentials', scope.naming)).map(fromCredentialRow));
  }
  const others = missingAccounts(accounts, credentials, serving.channels);
  if (others !== null) accounts.push(...(yield* readingAccounts(dialect, others)));
  return { ...accessRows(accounts, credentials), ...(yield* counting(dialect, scope)), serving };
}

function* readingServing(dialect: SqlDialect, scope: DirectoryScope): SqlProgram<StoredServing> {
  const channels = yield* readingChannels(dialect, channelFinderOf(scope));
  // Guards are few, and whatever names some is checked against them.
  const guards = yield* rows<GuardRow>(dialect, () => 'SELECT * FROM guards ORDER BY id');
  if (!hasServing(scope)) return { models: [], syncedModels: [], channels, guards };
  const models = yield* rows<ModelRow>(dialect, () => 'SELECT * FROM models ORDER BY id');
  const syncedText = 'SELECT * FROM synced_models ORDER BY provider, id';
  const syncedModels = yield* rows<SyncedModelRow>(dialect, () => syncedText);
  return { models, syncedModels, channels, guards };
}

function* readingChannels(dialect: SqlDialect, finder: ChannelFinder): SqlProgram<readonly ChannelRow[]> {
  if (channelCondition(finder, () => '') === null) return [];
  return yield* rows<ChannelRow>(dialect, (sql) => {
    const condition = channelCondition(finder, (column, values) => isOneOf(dialect, sql, { column, values }));
    return `SELECT * FROM channels WHERE ${condition} ORDER BY id`;
  });
}

export function* readingAccounts(dialect: SqlDialect, finder: AccountFinder | null): SqlProgram<readonly Account[]> {
  return (yield* found<AccountRow>(dialect, 'accounts', finder)).map(fromAccountRow);
}

function* readingCredentials(dialect: SqlDialect, finder: CredentialFinder | null): SqlProgram<readonly Credential[]> {
  const current = yield* found<CredentialRow>(dialect, 'credentials', finder);
  const retired = finder?.column === 'secret_hash' ? yield* credentialsByRetired(dialect, finder) : [];
  return [...current, ...retired].map(fromCredentialRow);
}

/** Finds credentials by their former secrets. */
function* credentialsByRetired(dialect: SqlDialect, { values }: Finder): SqlProgram<readonly CredentialRow[]> {
  return yield* rows<CredentialRow>(
    dialect,
    (sql) => `
      SELECT credentials.* FROM credentials JOIN retired_secrets AS retired
        ON retired.account_id = credentials.account_id AND retired.kind = credentials.kind AND credential_id = credentials.id
      WHERE ${isOneOf(dialect, sql, { column: 'retired.secret_hash', values })}
    `,
  );
}

/** Looks up each credential by the primary key. */
export function* credentialsByKey(
  dialect: SqlDialect,
  keys: readonly CredentialKey[],
): SqlProgram<readonly Credential[]> {
  const json = JSON.stringify(keys.map(({ accountId, kind, id }) => ({ account_id: accountId, kind, id })));
  const found = yield* rows<CredentialRow>(dialect, (sql) => {
    const wanted = dialect.rowsOf(sql.put(json), 'wanted', { account_id: 'text', kind: 'text', id: 'text' });
    return `
      SELECT credentials.* FROM ${wanted} CROSS JOIN credentials
      WHERE credentials.account_id = wanted.account_id AND credentials.kind = wanted.kind AND credentials.id = wanted.id
    `;
  });
  return found.map(fromCredentialRow);
}

/** Finds the accounts or the credentials in force that name a guard. */
function* naming<Row>(
  dialect: SqlDialect,
  table: 'accounts' | 'credentials',
  guard: string,
): SqlProgram<readonly Row[]> {
  const inForce = table === 'accounts' ? '' : ' AND revoked_at_ms IS NULL';
  return yield* rows<Row>(dialect, (sql) => {
    const names = dialect.hasMember('guards', sql.put(guard));
    return `SELECT * FROM ${table} WHERE ${names}${inForce} ORDER BY ${table === 'accounts' ? '' : 'account_id, '}id LIMIT ${MOST_NAMING}`;
  });
}

function* counting(dialect: SqlDialect, scope: DirectoryScope): SqlProgram<Pick<AccessRows, 'counts'>> {
  if (scope === 'all' || scope.countsOf === undefined) return {};
  const json = JSON.stringify(scope.countsOf);
  const counted = yield* rows<CredentialCountRow>(dialect, (sql) =>
    credentialCounts(dialect.inList(sql.put(json), 'text')),
  );
  return { counts: counted.map(credentialCountOf) };
}

/** Finds a credential by its current secret, or else by a former one. */
export function* readingBySecret(dialect: SqlDialect, secretHash: string): SqlProgram<CredentialRow | null> {
  const [row] = yield* rows<CredentialRow>(dialect, (sql) => {
    const hash = sql.put(secretHash);
    return `
      SELECT credentials.* FROM (
        SELECT account_id, kind, id FROM credentials WHERE secret_hash = ${hash}
        UNION ALL SELECT account_id, kind, credential_id FROM retired_secrets WHERE secret_hash = ${hash}
      ) AS found CROSS JOIN credentials
      WHERE credentials.account_id = found.account_id AND credentials.kind = found.kind AND credentials.id = found.id
      ORDER BY credentials.secret_hash = ${hash} DESC, credentials.account_id DESC, credentials.kind DESC, credentials.id DESC
      LIMIT 1
    `;
  });
  return row ?? null;
}

/** Reads the ids of a page of accounts. Every id sorts after the empty string. */
export function* findingAccounts(
  dialect: SqlDialect,
  { after, limit, only = {} }: AccountPage,
): SqlProgram<readonly string[]> {
  const page = yield* rows<{ readonly id: string }>(dialect, (sql) => {
    const conditions = accountConditions(only, dialect.likeInAnyCase, (value) => sql.put(value));
    const all = [`id > ${sql.put(after ?? '')}`, ...conditions].join(' AND ');
    return `SELECT id FROM accounts WHERE ${all} ORDER BY id LIMIT ${sql.put(limit)}`;
  });
  return page.map(({ id }) => id);
}

export function* readingAccountPage(
  dialect: SqlDialect,
  { after, limit }: Pick<AccountPage, 'after' | 'limit'>,
): SqlProgram<readonly Account[]> {
  const page = yield* rows<AccountRow>(
    dialect,
    (sql) => `SELECT * FROM accounts WHERE id > ${sql.put(after ?? '')} ORDER BY id LIMIT ${sql.put(limit)}`,
  );
  return page.map(fromAccountRow);
}

export function* readingCredentialPage(dialect: SqlDialect, page: CredentialPage): SqlProgram<readonly Credential[]> {
  return (yield* rows<CredentialRow>(dialect, credentialPage(dialect, '*', page))).map(fromCredentialRow);
}

/** Finds the credentials of a page that contain its text. */
export function* findingCredentials(dialect: SqlDialect, page: CredentialPage): SqlProgram<readonly CredentialKey[]> {
  const columns = 'account_id, kind, id';
  const found = yield* rows<Pick<CredentialRow, 'account_id' | 'kind' | 'id'>>(
    dialect,
    credentialPage(dialect, columns, page),
  );
  return found.map(({ account_id: accountId, kind, id }) => ({ accountId, kind, id }));
}

function credentialPage(
  dialect: SqlDialect,
  columns: string,
  { accountId, kind, text, after, limit }: CredentialPage,
): (sql: Values) => string {
  return (sql) => {
    const conditions = ['1 = 1'];
    if (accountId !== undefined) conditions.push(`account_id = ${sql.put(accountId)}`);
    // A literal, since the partial index on the few tokens is not used with a parameter.
    if (kind !== undefined) conditions.push(kind === 'management' ? "kind = 'management'" : "kind = 'inference'");
    if (text !== undefined) {
      const pattern = sql.put(likePattern(text));
      conditions.push(containing(pattern, dialect.likeInAnyCase, ['id', 'name', 'preview']));
    }
    if (after !== null) {
      const place = [after.accountId, after.kind, after.id].map((value) => sql.put(value)).join(', ');
      conditions.push(`(account_id, kind, id) > (${place})`);
    }
    const order = `ORDER BY account_id, kind, id LIMIT ${sql.put(limit)}`;
    return `SELECT ${columns} FROM credentials WHERE ${conditions.join(' AND ')} ${order}`;
  };
}

function* found<Row>(dialect: SqlDialect, table: string, finder: Finder | null): SqlProgram<readonly Row[]> {
  return yield* rows<Row>(dialect, (sql) =>
    finder === null ? `SELECT * FROM ${table}` : `SELECT * FROM ${table} WHERE ${isOneOf(dialect, sql, finder)}`,
  );
}

function isOneOf(dialect: SqlDialect, sql: Values, { column, values }: Finder): string {
  return `${column} ${dialect.inList(sql.put(JSON.stringify(values)), 'text')}`;
}

/** The type follows from the statement. */
export function* rows<Row>(dialect: SqlDialect, text: (sql: Values) => string): SqlProgram<readonly Row[]> {
  return (yield* ask(dialect, text)) as readonly unknown[] as readonly Row[];
}
