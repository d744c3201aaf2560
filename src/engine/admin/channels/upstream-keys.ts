import type { Channel } from '../../../domain/catalog/channel.ts';
import type { ChannelBlock } from '../../../domain/catalog/channel-block.ts';
import type { ConfiguredUpstreamKey, UpstreamKey } from '../../../domain/catalog/upstream-key.ts';
import { randomBase62 } from '../../access/secrets.ts';
import type { Clock } from '../../ports/clock.ts';
import { channelScope, type DirectoryStore } from '../../ports/directory-store.ts';
import { AdminError } from '../admin-error.ts';
import type { ConfiguredChannel } from '../configuration/configuration.ts';
import { field, list, text } from '../schema/unchecked.ts';
import { upstreamKeyFields } from '../schema/upstream-keys.ts';
import { findChannel } from './read-channels.ts';

/**
 * Returns the keys of a channel as they are stored. A key that the channel had before, under the same name, another name or as its only key,
 * keeps its id, the operator's switch and its block; a new credential lifts the block. `undefined` for a channel with a single key.
 *
 * @param isAskedAsBefore whether provider, address and settings are the same as before; otherwise no block is kept
 */
export function keysToStore(
  before: Channel | undefined,
  wanted: Pick<ConfiguredChannel, 'apiKeys'>,
  isAskedAsBefore: boolean,
): readonly UpstreamKey[] | undefined {
  const { apiKeys: wantedKeys } = wanted;
  if (wantedKeys === undefined) return undefined;
  const known = before === undefined ? new Map<ConfiguredUpstreamKey, KnownKey>() : knownKeys(before, wantedKeys);
  return wantedKeys.map((key) => {
    const found = known.get(key) ?? null;
    const { name, weight, spendCap } = key;
    return {
      ...{ id: found === null ? randomBase62(8) : found.id, name, key: key.key, weight, spendCap },
      enabled: key.enabled ?? found?.enabled ?? true,
      block: isAskedAsBefore && found?.key === key.key ? (found?.block ?? null) : null,
      resetAtMs: found?.resetAtMs ?? null,
    };
  });
}

type KnownKey = Pick<UpstreamKey, 'id' | 'name' | 'key' | 'enabled' | 'block' | 'resetAtMs'>;

/**
 * Finds the keys that the channel has already: those that are unchanged, then by their earlier name, their name, and their credential. Each
 * is found once, so that two keys never share an id. Unchanged keys come first, because a file may keep a `rename_from` that was applied.
 */
function knownKeys(
  { apiKey, apiKeys, block, resetAtMs }: Channel,
  wanted: readonly ConfiguredUpstreamKey[],
): ReadonlyMap<ConfiguredUpstreamKey, KnownKey> {
  const only = { id: null, name: '', key: apiKey, enabled: true, block, resetAtMs };
  const left = new Set<KnownKey>(apiKeys ?? [only]);
  const found = new Map<ConfiguredUpstreamKey, KnownKey>();
  const isSame: readonly ((key: ConfiguredUpstreamKey, one: KnownKey) => boolean)[] = [
    (key, one) => key.name === one.name && key.key === one.key,
    (key, one) => key.renameFrom === one.name,
    (key, one) => key.name === one.name,
    (key, one) => key.key === one.key,
  ];
  for (const isKnown of isSame) {
    for (const key of wanted) {
      const one = found.has(key) ? undefined : [...left].find((other) => isKnown(key, other));
      if (one === undefined) continue;
      found.set(key, one);
      left.delete(one);
    }
  }
  return found;
}

/**
 * Returns a change of a channel with its `api_keys` completed: a key that the channel has keeps the members that the change does not give,
 * so that no credential has to be sent again. A change to one of `api_key` and `api_keys` takes the place of the other.
 */
export function withKeptKeys(before: Channel, change: unknown): unknown {
  if (typeof change !== 'object' || change === null || Array.isArray(change)) return change;
  const keys = field(change, 'api_keys');
  if (keys == null) return field(change, 'api_key') == null ? change : { ...change, api_keys: null };
  const written = list(keys);
  const rest = field(change, 'api_key') == null ? { ...change, api_key: null } : change;
  // The only key of before goes to the first new key without a credential.
  const heir = before.apiKeys === undefined ? written.find((key) => field(key, 'key') == null) : undefined;
  if (!Array.isArray(keys)) return { ...rest, api_keys: keys };
  const renamed = new Set(written.map((key) => text(key, 'rename_from')));
  return {
    ...rest,
    api_keys: written.map((key) => {
      if (key === heir && typeof key === 'object') return { ...key, key: before.apiKey };
      const from = text(key, 'rename_from');
      const name = text(key, 'name');
      // A key that is renamed leaves its name to a new one.
      return completed(before, key, from ?? (renamed.has(name) ? undefined : name));
    }),
  };
}

/** Returns a key of a change with the members that it does not give, from the key that had this name before. */
function completed({ apiKeys }: Channel, written: unknown, name: string | undefined): unknown {
  if (typeof written !== 'object' || written === null || Array.isArray(written)) return written;
  const known = apiKeys?.find((one) => one.name === name);
  if (known === undefined) return written;
  const given = Object.entries(written).filter(
    ([member, value]) => value !== undefined && !(member === 'key' && value === null),
  );
  return { ...upstreamKeyFields(known), ...Object.fromEntries(given) };
}

/** Throws an `AdminError` if a change renames a key that the channel does not have. */
export function refuseUnknownRename({ apiKeys = [] }: Channel, wanted: Pick<ConfiguredChannel, 'apiKeys'>): void {
  for (const [at, { renameFrom }] of (wanted.apiKeys ?? []).entries()) {
    if (renameFrom === null || apiKeys.some(({ name }) => name === renameFrom)) continue;
    const names = apiKeys.map(({ name }) => name).join(', ') || 'none';
    throw new AdminError(
      'invalid_value',
      `api_keys[${at}].rename_from`,
      `must be the name of one of the channel's keys (${names})`,
    );
  }
}

/** Returns the key of a channel with this name. Throws an `AdminError` that lists the names if there is none. */
export function findKey({ id, apiKeys }: Channel, name: string): UpstreamKey {
  const found = apiKeys?.find((key) => key.name === name);
  if (found !== undefined) return found;
  const names = apiKeys === undefined ? 'it has a single key' : `it has ${apiKeys.map((key) => key.name).join(', ')}`;
  throw new AdminError('not_found', 'key', `the channel "${id}" has no key "${name.slice(0, 100)}": ${names}`);
}

/** Returns the channel with one of its keys changed. */
export function withKey(channel: Channel, name: string, change: Partial<UpstreamKey>): Channel {
  const keys = (channel.apiKeys ?? []).map((key) => (key.name === name ? { ...key, ...change } : key));
  return { ...channel, apiKeys: keys };
}

/** Returns the channel with no block, neither of its own nor of a key. */
export function withoutBlocks(channel: Channel): Channel {
  const { apiKeys } = channel;
  return { ...channel, block: null, ...(apiKeys && { apiKeys: apiKeys.map((key) => ({ ...key, block: null })) }) };
}

/** Returns the block of the first blocked key; `null` if no key is blocked. */
export function firstKeyBlock({ apiKeys }: Channel): ChannelBlock | null {
  return apiKeys?.find(({ block }) => block !== null)?.block ?? null;
}

export interface SwitchedKey {
  readonly channel: Channel;
  readonly key: UpstreamKey;
  /** Whether the key was in this state already, so that nothing was written. */
  readonly unchanged: boolean;
  /** The block that was lifted. */
  readonly lifted: ChannelBlock | null;
}

/**
 * Enables or disables one key of a channel. Enabling it also lifts its block and makes gateways forget its failures. Throws `AdminError` if
 * the channel or the key does not exist.
 */
export async function setKeyEnabled(
  store: DirectoryStore,
  clock: Clock,
  { id, name, accountId = null }: NamedKey,
  enabled: boolean,
): Promise<SwitchedKey> {
  return store.write(channelScope(id, accountId), (writer) => {
    const before = findChannel(writer.read().channels, id, accountId);
    const key = findKey(before, name);
    if (key.enabled === enabled && (!enabled || key.block === null)) {
      return { channel: before, key, unchanged: true, lifted: null };
    }
    const change = enabled ? { enabled, block: null, resetAtMs: clock.nowMs() } : { enabled };
    const channel = withKey(before, name, change);
    writer.putChannel(channel);
    return { channel, key: { ...key, ...change }, unchanged: false, lifted: enabled ? key.block : null };
  });
}

/** Makes every gateway forget the learned health of one key. Throws `AdminError` if the channel or the key does not exist. */
export async function resetKey(
  store: DirectoryStore,
  clock: Clock,
  { id, name, accountId = null }: NamedKey,
): Promise<SwitchedKey> {
  return store.write(channelScope(id, accountId), (writer) => {
    const before = findChannel(writer.read().channels, id, accountId);
    const key = findKey(before, name);
    const change = { block: null, resetAtMs: clock.nowMs() };
    const channel = withKey(before, name, change);
    writer.putChannel(channel);
    return { channel, key: { ...key, ...change }, unchanged: false, lifted: key.block };
  });
}

/** One key of a channel. */
export interface NamedKey {
  readonly id: string;
  readonly name: string;
  /** Finds the channel only among those of this account; among all if it is `null`. */
  readonly accountId?: string | null;
}
