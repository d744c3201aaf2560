import type { Account } from '../../domain/access/account.ts';
import type { Credential, CredentialKey } from '../../domain/access/api-key.ts';
import type { Channel } from '../../domain/catalog/channel.ts';
import type { AccessRows, DirectoryScope, ServingRows } from '../../engine/ports/directory-store.ts';

/** Selects rows by the values of one column. Each of these columns has an index. */
export interface Finder<Column extends string = string> {
  readonly column: Column;
  readonly values: readonly string[];
}

export type AccountFinder = Finder<'id' | 'origin'>;
export type CredentialFinder = Finder<'account_id' | 'id' | 'secret_hash' | 'preview' | 'origin'>;

const CONFIGURED = { column: 'origin', values: ['config'] } as const;

export const NO_SERVING: ServingRows = { models: [], syncedModels: [], channels: [] };

export function hasServing(scope: DirectoryScope): boolean {
  return scope === 'all' || scope.serving !== false;
}

/** The channels of a scope: `all`, or those with one of the owners or ids. */
export type ChannelFinder = 'all' | { readonly owners: readonly (string | null)[]; readonly ids: readonly string[] };

export function channelFinderOf(scope: DirectoryScope): ChannelFinder {
  if (scope === 'all') return 'all';
  const { serving, channelsOf, channelIds } = scope;
  if (channelsOf === undefined && channelIds === undefined && serving !== false) return 'all';
  return { owners: channelsOf ?? [], ids: channelIds ?? [] };
}

/**
 * Returns the condition of a query for channels; `null` if the finder selects none.
 *
 * @param isOneOf writes the condition that a column has one of the values
 */
export function channelCondition(
  finder: ChannelFinder,
  isOneOf: (column: 'owner' | 'id', values: readonly string[]) => string,
): string | null {
  if (finder === 'all') return 'true';
  const owners = finder.owners.filter((owner) => owner !== null);
  // Each alternative has its own index, which a single combined condition would not use.
  const conditions = [
    ...(finder.owners.includes(null) ? ['owner IS NULL'] : []),
    ...(owners.length > 0 ? [isOneOf('owner', owners)] : []),
    ...(finder.ids.length > 0 ? [isOneOf('id', finder.ids)] : []),
  ];
  return conditions.length === 0 ? null : conditions.join(' OR ');
}

/** Returns the first queries for a scope. Their results may overlap. */
export function findersOf(scope: DirectoryScope): {
  readonly accounts: readonly (AccountFinder | null)[];
  readonly credentials: readonly (CredentialFinder | null)[];
  readonly keys: readonly CredentialKey[];
} {
  if (scope === 'all') return { accounts: [null], credentials: [null], keys: [] };
  const { accounts, credentialsOf, secretHashes, credentialIds, previews, configured } = scope;
  const all: readonly (CredentialFinder | null)[] = [
    some('account_id', credentialsOf),
    some('secret_hash', secretHashes),
    some('id', credentialIds),
    some('preview', previews),
    configured === true ? CONFIGURED : null,
  ];
  return {
    accounts: [some('id', accounts), configured === true ? CONFIGURED : null].filter((finder) => finder !== null),
    credentials: all.filter((finder) => finder !== null),
    keys: scope.credentials ?? [],
  };
}

function some<Column extends string>(column: Column, values: readonly string[] | undefined): Finder<Column> | null {
  return values === undefined || values.length === 0 ? null : { column, values: [...new Set(values)] };
}

/** Returns the ids of accounts that own credentials or channels but were not read. */
export function missingAccounts(
  accounts: readonly Account[],
  credentials: readonly Credential[],
  channels: readonly Pick<Channel, 'owner'>[],
): AccountFinder | null {
  const known = new Set(accounts.map(({ id }) => id));
  const owners = [...credentials.map(({ accountId }) => accountId), ...channels.flatMap(({ owner }) => owner ?? [])];
  return some(
    'id',
    owners.filter((id) => !known.has(id)),
  );
}

/** Returns the rows without duplicates, sorted by key. */
export function accessRows(accounts: readonly Account[], credentials: readonly Credential[]): AccessRows {
  return {
    accounts: distinct(accounts, ({ id }) => id),
    credentials: distinct(credentials, credentialKey),
  };
}

export function credentialKey({ accountId, kind, id }: CredentialKey): string {
  return [accountId, kind, id].join('\0');
}

function distinct<Row>(rows: readonly Row[], keyOf: (row: Row) => string): readonly Row[] {
  const byKey = new Map(rows.map((row) => [keyOf(row), row]));
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}
