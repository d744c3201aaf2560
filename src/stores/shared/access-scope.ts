import type { Account } from '../../domain/access/account.ts';
import type { Credential, CredentialKey } from '../../domain/access/api-key.ts';
import type { Channel } from '../../domain/catalog/channel.ts';
import type { AccessRows, DirectoryScope, ServingRows } from '../../engine/ports/directory-store.ts';

/** Rows whose column has one of the values; there is an index for each of these columns. */
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

/** Which channels a scope has; `all` of them, or those that are of one of the owners or have one of the ids. */
export type ChannelFinder = 'all' | { readonly owners: readonly (string | null)[]; readonly ids: readonly string[] };

export function channelFinderOf(scope: DirectoryScope): ChannelFinder {
  if (scope === 'all') return 'all';
  const { serving, channelsOf, channelIds } = scope;
  if (channelsOf === undefined && channelIds === undefined && serving !== false) return 'all';
  return { owners: channelsOf ?? [], ids: channelIds ?? [] };
}

/**
 * The condition of a query for channels; `null` where there are none to find.
 *
 * @param isOneOf writes that a column has one of the values
 */
export function channelCondition(
  finder: ChannelFinder,
  isOneOf: (column: 'owner' | 'id', values: readonly string[]) => string,
): string | null {
  if (finder === 'all') return 'true';
  const owners = finder.owners.filter((owner) => owner !== null);
  // Each has an index, which one condition for all of them would not use.
  const conditions = [
    ...(finder.owners.includes(null) ? ['owner IS NULL'] : []),
    ...(owners.length > 0 ? [isOneOf('owner', owners)] : []),
    ...(finder.ids.length > 0 ? [isOneOf('id', finder.ids)] : []),
  ];
  return conditions.length === 0 ? null : conditions.join(' OR ');
}

/** What a scope reads first: a query each, whose rows may be the same. */
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

/** The accounts that credentials and channels belong to and that were not read. */
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

/** Each once, in the order of their keys. */
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
