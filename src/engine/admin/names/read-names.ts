import type { CredentialKey } from '../../../domain/access/api-key.ts';
import type { DirectoryStore } from '../../ports/directory-store.ts';
import type { Page } from '../page.ts';

/** The objects that a row mentions by id; `null` for none. */
export interface Mentioned {
  readonly accounts?: readonly (string | null)[];
  /** Keys and management tokens. */
  readonly credentials?: readonly CredentialKey[];
  readonly channels?: readonly (string | null)[];
}

/** The present names of objects. Each function returns `null` for an object that has no name or no longer exists. */
export interface Names {
  account(id: string | null): string | null;
  credential(key: CredentialKey): string | null;
  /** @param owner only a channel of this account, for ids that the account itself has written */
  channel(id: string | null, owner?: string | null): string | null;
}

/** Reads the names of all objects that the rows mention, in one query. */
export async function readNames(
  directory: Pick<DirectoryStore, 'read'>,
  mentioned: readonly Mentioned[],
): Promise<Names> {
  const accountIds = idsIn(mentioned.flatMap(({ accounts = [] }) => accounts));
  const channelIds = idsIn(mentioned.flatMap(({ channels = [] }) => channels));
  const keys = new Map(mentioned.flatMap(({ credentials: all = [] }) => all).map((key) => [textOf(key), key] as const));
  if (accountIds.length + channelIds.length + keys.size === 0) return NO_NAMES;
  const { accounts, credentials, channels } = await directory.read({
    ...{ serving: false, accounts: accountIds, credentials: [...keys.values()] },
    ...(channelIds.length > 0 && { channelIds }),
  });
  const byAccount = new Map(accounts.map(({ id, name }) => [id, name]));
  const byCredential = new Map(credentials.map((one) => [textOf(one), one.name]));
  const byChannel = new Map(channels.map((channel) => [channel.id, channel]));
  return {
    account: (id) => (id === null ? null : byAccount.get(id) || null),
    credential: (key) => byCredential.get(textOf(key)) || null,
    channel: (id, owner) => {
      const channel = id === null ? undefined : byChannel.get(id);
      return channel === undefined || (owner != null && channel.owner !== owner) ? null : channel.name || null;
    },
  };
}

export interface Named<Item> {
  readonly item: Item;
  readonly names: Names;
}

/** Adds the names to the items of a page. */
export async function namedPage<Item>(
  directory: Pick<DirectoryStore, 'read'>,
  page: Page<Item>,
  mentions: (item: Item) => Mentioned,
): Promise<Page<Named<Item>>> {
  const names = await readNames(directory, page.items.map(mentions));
  return { ...page, items: page.items.map((item) => ({ item, names })) };
}

const NO_NAMES: Names = { account: () => null, credential: () => null, channel: () => null };

/** Returns the key of an account's API key; an empty list without a key. */
export function keysOf(accountId: string | null, keyId: string | null): readonly CredentialKey[] {
  return accountId === null || keyId === null ? [] : [{ accountId, kind: 'inference', id: keyId }];
}

function idsIn(ids: readonly (string | null)[]): readonly string[] {
  return [...new Set(ids.filter((id) => id !== null))];
}

function textOf({ accountId, kind, id }: CredentialKey): string {
  return JSON.stringify([accountId, kind, id]);
}
