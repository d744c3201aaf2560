import type { Channel } from '../../../domain/catalog/channel.ts';
import type { ChannelBlock } from '../../../domain/catalog/channel-block.ts';
import { keyedChannel } from '../../../domain/catalog/keyed-channel.ts';
import type { Providers } from '../../../providers/manifest.ts';
import type { Clock } from '../../ports/clock.ts';
import {
  channelScope,
  type DirectoryRows,
  type DirectoryScope,
  type DirectoryStore,
} from '../../ports/directory-store.ts';
import { AdminError, refuseDeclared } from '../admin-error.ts';
import type { ConfiguredChannel } from '../configuration/configuration.ts';
import { differences, refuseOther, sameValue } from '../differences.ts';
import { channelFields, channelFrom, channelSchema } from '../schema/channel.ts';
import { channelProblems } from '../schema/channel-problems.ts';
import { checkInput, withChange } from '../schema/check-input.ts';
import { text } from '../schema/unchecked.ts';
import { findChannel, modelsOnlyIn, rivalScope } from './read-channels.ts';
import {
  firstKeyBlock,
  keysToStore,
  refuseUnknownRename,
  withKeptKeys,
  withKey,
  withoutBlocks,
} from './upstream-keys.ts';

type ChannelStanding = Pick<Channel, 'enabled' | 'block' | 'resetAtMs'>;

/**
 * Returns the state that a channel keeps when it is rewritten from a file or the environment, neither of which has it: the operator's
 * switch and the gateway's block. Only a change of the upstream's address or credentials lifts the block, because it may have fixed the
 * problem.
 */
export function standingOf(before: Channel | undefined, after: Upstream & Pick<Channel, 'apiKey'>): ChannelStanding {
  if (before === undefined) return { enabled: true, block: null, resetAtMs: null };
  const isAskedAsBefore = isSameUpstream(before, after) && before.apiKey === after.apiKey;
  return { enabled: before.enabled, block: isAskedAsBefore ? before.block : null, resetAtMs: before.resetAtMs };
}

type Upstream = Pick<Channel, 'provider' | 'baseUrl' | 'settings'>;

function isSameUpstream(one: Upstream, other: Upstream): boolean {
  return one.provider === other.provider && one.baseUrl === other.baseUrl && sameValue(one.settings, other.settings);
}

/** Returns a channel as it is stored, with the state that it and its keys keep. */
export function channelToStore(
  before: Channel | undefined,
  wanted: ConfiguredChannel,
  origin: Channel['origin'],
): Channel {
  const { apiKeys: _written, ...configured } = wanted;
  const apiKeys = keysToStore(before, wanted, before !== undefined && isSameUpstream(before, wanted));
  return { ...configured, ...(apiKeys !== undefined && { apiKeys }), ...standingOf(before, wanted), origin };
}

export interface CreatedChannel {
  readonly channel: Channel;
  /** Whether it existed with the same content, so that nothing was changed. */
  readonly alreadyThere: boolean;
}

/**
 * Makes a channel. Idempotent: the same call again changes nothing. Throws `AdminError` for other content or an invalid field. The sandbox,
 * which exists only without other channels, is removed by the next `syncSandboxChannel`.
 *
 * @param input in the form of a configuration's `channels`
 */
export async function createChannel(
  store: DirectoryStore,
  providers: Providers,
  input: unknown,
): Promise<CreatedChannel> {
  const wanted = checkedChannel(providers, input);
  const accounts = wanted.owner === null ? [] : [wanted.owner];
  return store.write({ serving: false, accounts, channelIds: [wanted.id] }, (writer) => {
    const rows = writer.read();
    const existing = rows.channels.find(({ id }) => id === wanted.id);
    if (existing !== undefined) {
      // The content of another owner's channel must not be revealed.
      if (existing.owner !== wanted.owner) throw taken(existing.id);
      const label = existing.origin === 'environment' ? 'channel of the environment' : 'channel';
      refuseOther(`${label} "${existing.id}"`, channelFields(existing), channelFields(wanted));
      return { channel: existing, alreadyThere: true };
    }
    requireOwner(wanted, rows);
    const channel = channelToStore(undefined, wanted, 'operator');
    writer.putChannel(channel);
    return { channel, alreadyThere: false };
  });
}

function taken(id: string): AdminError {
  return new AdminError('already_exists', 'id', `"${id}" is taken: choose another id, or leave it out`);
}

/** Parses a channel with its schema and its provider's checks. Throws `AdminError`. */
export function checkedChannel(providers: Providers, input: unknown): ConfiguredChannel {
  const meaning = (written: unknown) => channelProblems(written, [], providers);
  return channelFrom(checkInput(channelSchema, ['channels', 0], input, meaning), providers);
}

/** Throws `AdminError` unless the owner of a private channel exists. */
function requireOwner({ owner }: ConfiguredChannel, { accounts }: Pick<DirectoryRows, 'accounts'>): void {
  if (owner === null || accounts.some(({ id }) => id === owner)) return;
  throw new AdminError('invalid_value', 'owner', `must be an account id: there is no account "${owner}"`);
}

export interface ChangedChannel {
  readonly channel: Channel;
  /** The fields whose value has changed. If empty, nothing was written. */
  readonly changed: readonly string[];
}

const FIXED = { id: 'requests and health are recorded under it; create another channel' };

interface ChangeOptions {
  /** Restricts the change to channels of this account. */
  readonly accountId?: string | null;
  /** Throws an `AdminError` for a change that this caller must not make. Called within the transaction. */
  readonly refuse?: (before: Channel, after: ConfiguredChannel) => void;
}

/**
 * Changes some fields of a channel: each is replaced as a whole, `null` resets one to its default. A change of the provider, address, key or
 * settings lifts a block. A channel from the environment becomes the operator's own. Throws `AdminError` for an invalid field, an unknown
 * channel, and one that the configuration file declares.
 *
 * @param change in the form of a configuration's `channels`
 */
export async function changeChannel(
  store: DirectoryStore,
  providers: Providers,
  id: string,
  change: unknown,
  { accountId = null, refuse }: ChangeOptions = {},
): Promise<ChangedChannel> {
  return store.write(scopeOf(id, accountId, change), (writer) => {
    const rows = writer.read();
    const before = findChannel(rows.channels, id, accountId);
    refuseDeclared('channel', before);
    const wanted = changedChannel(providers, before, change);
    const changed = changedFields(before, wanted);
    if (changed.length === 0) return { channel: before, changed };
    refuse?.(before, wanted);
    requireOwner(wanted, rows);
    const channel = channelToStore(before, wanted, 'operator');
    writer.putChannel(channel);
    return { channel, changed };
  });
}

/** Returns the channel with a partial change. Throws `AdminError` if the result is not valid. */
export function changedChannel(providers: Providers, before: Channel, change: unknown): ConfiguredChannel {
  const wanted = checkedChannel(providers, withChange(channelFields(before), withKeptKeys(before, change), FIXED));
  refuseUnknownRename(before, wanted);
  return wanted;
}

function changedFields(before: Channel, wanted: ConfiguredChannel): readonly string[] {
  const changed = differences(channelFields(before), channelFields(wanted));
  // Two keys that swap their names are otherwise the same list.
  const isRenamed = wanted.apiKeys?.some(({ renameFrom }) => renameFrom !== null) === true;
  return isRenamed && !changed.includes('api_keys') ? [...changed, 'api_keys'] : changed;
}

/** Reads the owner that a change names, too. An invalid owner is reported with the rest of the input. */
function scopeOf(id: string, accountId: string | null, change: unknown): DirectoryScope {
  const scope = channelScope(id, accountId);
  const owner = text(change, 'owner');
  return owner === undefined ? scope : { ...scope, accounts: [owner] };
}

interface DeletedChannel {
  /** `false` if it had been deleted before. */
  readonly wasThere: boolean;
  /** The public models that no other channel in use (enabled, not blocked) serves to all accounts that could use this one. */
  readonly onlyHere: readonly string[];
}

/**
 * Deletes a channel; requests in flight may finish. Throws `AdminError` for one that comes from the configuration file or the environment,
 * since the next start would restore it.
 */
export async function deleteChannel(
  store: DirectoryStore,
  id: string,
  accountId: string | null = null,
): Promise<DeletedChannel> {
  return store.write(rivalScope(accountId), (writer) => {
    const { channels } = writer.read();
    const channel = channels.find((one) => one.id === id && (accountId === null || one.owner === accountId));
    if (channel === undefined) return { wasThere: false, onlyHere: [] };
    refuseDeclared('channel', channel);
    if (channel.origin === 'environment') {
      throw new AdminError(
        'conflict',
        'channel',
        `"${id}" comes from the environment and would return at the next start: disable it, or remove its key there`,
      );
    }
    writer.deleteChannel(id);
    return { wasThere: true, onlyHere: modelsOnlyIn(channel, channels) };
  });
}

export interface SwitchedChannel {
  readonly channel: Channel;
  /** Whether it was in this state already, so that nothing was written. */
  readonly unchanged: boolean;
  /** The block that enabling it lifted. */
  readonly lifted: ChannelBlock | null;
  /** The public models that no other channel in use (enabled, not blocked) serves to all accounts that could use this one. */
  readonly onlyHere: readonly string[];
}

/**
 * Enables or disables a channel. Enabling it also lifts its block and makes gateways forget its failures, since the operator says that it
 * works. Enabling a channel in use changes nothing, so a script may repeat it. Throws `AdminError` if the channel does not exist.
 */
export async function setChannelEnabled(
  store: DirectoryStore,
  clock: Clock,
  id: string,
  enabled: boolean,
  accountId: string | null = null,
): Promise<SwitchedChannel> {
  return store.write(rivalScope(accountId), (writer) => {
    const { channels } = writer.read();
    const before = findChannel(channels, id, accountId);
    const onlyHere = modelsOnlyIn(before, channels);
    const block = before.block ?? firstKeyBlock(before);
    if (before.enabled === enabled && (!enabled || block === null)) {
      return { channel: before, unchanged: true, lifted: null, onlyHere };
    }
    const channel: Channel = enabled
      ? { ...withoutBlocks(before), enabled, resetAtMs: clock.nowMs() }
      : { ...before, enabled };
    writer.putChannel(channel);
    return { channel, unchanged: false, lifted: enabled ? block : null, onlyHere };
  });
}

/**
 * Blocks a channel, or the one of its keys that `refused` has, whose provider rejects its credentials. Resolves to whether this call did it:
 * of many requests rejected at once only the first blocks, and a channel that was deleted in the meantime, or has other credentials than the
 * rejected ones, is left alone.
 */
export async function blockChannel(store: DirectoryStore, refused: Channel, block: ChannelBlock): Promise<boolean> {
  return store.write({ serving: false, channelIds: [refused.id] }, (writer) => {
    const channel = writer.read().channels.find(({ id }) => id === refused.id);
    if (channel === undefined || !isSameUpstream(refused, channel)) return false;
    const { upstreamKey } = refused;
    const key = channel.apiKeys?.find(({ id }) => id === upstreamKey?.id);
    if (upstreamKey !== undefined && key === undefined) return false;
    const asked = key === undefined ? channel : keyedChannel(channel, key);
    if (asked.block !== null || asked.apiKey !== refused.apiKey) return false;
    writer.putChannel(key === undefined ? { ...channel, block } : withKey(channel, key.name, { block }));
    return true;
  });
}

export interface ResetChannel {
  readonly channel: Channel;
  /** The block that it lifted. */
  readonly lifted: ChannelBlock | null;
}

/**
 * Makes every gateway forget the learned health of a channel when it sees the directory change. The operator's switch stays as it is.
 * Throws `AdminError` if the channel does not exist.
 */
export async function resetChannel(
  store: DirectoryStore,
  clock: Clock,
  id: string,
  accountId: string | null = null,
): Promise<ResetChannel> {
  return store.write(channelScope(id, accountId), (writer) => {
    const before = findChannel(writer.read().channels, id, accountId);
    const channel: Channel = { ...withoutBlocks(before), resetAtMs: clock.nowMs() };
    writer.putChannel(channel);
    return { channel, lifted: before.block ?? firstKeyBlock(before) };
  });
}
