import type { Channel } from '../../../domain/catalog/channel.ts';
import type { Providers } from '../../../providers/manifest.ts';
import { randomBase62 } from '../../access/secrets.ts';
import { isGuarded, usualAddress } from '../../directory/guarded-channel.ts';
import type { AddressCheck } from '../../ports/address-check.ts';
import { channelScope, type DirectoryStore } from '../../ports/directory-store.ts';
import { AdminError, refuseDeclared } from '../admin-error.ts';
import type { ConfiguredChannel } from '../configuration/configuration.ts';
import { sameValue } from '../differences.ts';
import { field, list, text } from '../schema/unchecked.ts';
import { checkStoredAddress } from '../stored-address.ts';
import {
  type ChangedChannel,
  type CreatedChannel,
  changeChannel,
  changedChannel,
  channelToStore,
  checkedChannel,
  createChannel,
} from './change-channels.ts';
import { findChannel } from './read-channels.ts';

/** The caller who manages channels over the management API, and the owner of these channels. */
export interface ChannelKeeper {
  /** The account whose PRIVATE channels are managed; `null` for an operator who manages all, and makes PLATFORM ones. */
  readonly accountId: string | null;
  readonly isOperator: boolean;
  /** Whether a management token is used. Even an operator's token must not send a stored key elsewhere. */
  readonly isToken: boolean;
}

export interface ChannelMeans {
  readonly directory: DirectoryStore;
  readonly providers: Providers;
  readonly addresses: AddressCheck;
}

/**
 * Makes a channel of the account, or a PLATFORM one for an operator who names none. An account's own people must not make the gateway read
 * its files, use its credentials or reach into its network. Throws `AdminError`.
 *
 * @param input in the form of a configuration's `channels`; a missing `id` is generated
 */
export async function createKeptChannel(
  means: ChannelMeans,
  keeper: ChannelKeeper,
  input: unknown,
): Promise<CreatedChannel> {
  const { written } = await wantedChannel(means, keeper, input);
  return createChannel(means.directory, means.providers, written);
}

/**
 * Returns a channel as `createKeptChannel` would make it, to test it before it is saved. Throws `AdminError` in the same cases, except that
 * `models` may be missing: it then has all models that the catalog knows for the provider.
 */
export async function unsavedChannel(
  means: Pick<ChannelMeans, 'providers' | 'addresses'>,
  keeper: ChannelKeeper,
  input: unknown,
): Promise<Channel> {
  const known =
    means.providers
      .get(text(input, 'provider') ?? '')
      ?.models?.()
      .map(({ id }) => id) ?? [];
  const models = known.length > 0 ? known : ['any'];
  const written = mapOf(input);
  const isOpen = written !== null && field(input, 'models') == null;
  const { wanted } = await wantedChannel(means, keeper, isOpen ? { ...written, models } : input);
  return channelToStore(undefined, wanted, 'operator');
}

/** Returns the channel, as it was sent and parsed, after checking that this caller may have it. */
async function wantedChannel(
  { providers, addresses }: Pick<ChannelMeans, 'providers' | 'addresses'>,
  keeper: ChannelKeeper,
  input: unknown,
): Promise<{ readonly written: object; readonly wanted: ConfiguredChannel }> {
  const named = mapOf(input);
  const owner = field(named, 'owner');
  if (owner != null && owner !== keeper.accountId) throw foreignOwner(keeper);
  const own = { id: `ch_${randomBase62(16)}`, ...withoutNull(named ?? {}, 'id'), owner: keeper.accountId };
  const wanted = checkedChannel(providers, named === null ? input : own);
  refuseUntrusted(providers, keeper, wanted);
  await refuseInside({ providers, addresses }, keeper, wanted);
  return { written: own, wanted };
}

/** Does the same as `changeChannel` for a channel of the account. Throws `AdminError`. */
export async function changeKeptChannel(
  { directory, providers, addresses }: ChannelMeans,
  keeper: ChannelKeeper,
  id: string,
  change: unknown,
): Promise<ChangedChannel> {
  const { accountId, isOperator, isToken } = keeper;
  const seen = findChannel((await directory.read(channelScope(id, accountId))).channels, id, accountId);
  refuseDeclared('channel', seen);
  const owner = field(change, 'owner');
  if (!isOperator && owner !== undefined && owner !== seen.owner) throw foreignOwner(keeper);
  const wanted = changedChannel(providers, seen, change);
  await refuseInside({ providers, addresses }, keeper, wanted);
  return changeChannel(directory, providers, id, change, {
    accountId,
    refuse: (before, after) => {
      refuseUntrusted(providers, keeper, after);
      const mayMoveKey = isOperator && !isToken;
      const kept = mayMoveKey ? null : keptCredential(before, change);
      if (kept !== null) refuseKeyElsewhere(kept, before, after);
    },
  });
}

function mapOf(input: unknown): object | null {
  return typeof input === 'object' && input !== null && !Array.isArray(input) ? input : null;
}

function withoutNull(input: object, name: string): object {
  return Object.fromEntries(Object.entries(input).filter(([member, value]) => member !== name || value != null));
}

function foreignOwner({ isOperator }: ChannelKeeper): AdminError {
  const how = isOperator
    ? 'the query parameter `account_id` names the account of a PRIVATE channel'
    : 'it is the account';
  return new AdminError('forbidden', 'owner', `must be left out: ${how}`);
}

/** Throws for channels that an account's own people must not make. */
function refuseUntrusted(providers: Providers, { isOperator }: ChannelKeeper, wanted: ConfiguredChannel): void {
  const manifest = providers.get(wanted.provider);
  if (isOperator || manifest === undefined) return;
  if (manifest.local !== undefined) {
    throw new AdminError(
      'forbidden',
      'provider',
      `${manifest.name} is built into the gateway: all accounts have it already`,
    );
  }
  for (const [field, key] of credentialsOf(wanted)) {
    const problem = manifest.untrustedKeyProblem?.(key) ?? null;
    if (problem !== null) throw new AdminError('invalid_value', field, problem);
  }
  const address = wanted.baseUrl ?? usualAddress(wanted, manifest);
  if (address !== null && !address.toLowerCase().startsWith('https://')) {
    throw new AdminError('invalid_value', 'base_url', 'must begin with https://, since a key is sent there');
  }
}

/** Returns the channel's credentials with the names of their fields. */
function credentialsOf({ apiKey, apiKeys }: Pick<ConfiguredChannel, 'apiKey' | 'apiKeys'>) {
  if (apiKeys === undefined) return [['api_key', apiKey] as const];
  return apiKeys.map(({ key }, at) => [`api_keys[${at}].key`, key] as const);
}

/** Returns the field of a stored credential that a change keeps without sending it; `null` for none. */
function keptCredential({ apiKey, apiKeys }: Channel, change: unknown): string | null {
  if (field(change, 'api_key') != null) return null;
  const keys = field(change, 'api_keys');
  if (keys == null) return apiKeys !== undefined ? 'api_keys' : apiKey === null ? null : 'api_key';
  const at = list(keys).findIndex((key) => field(key, 'key') == null);
  return at < 0 ? null : `api_keys[${at}].key`;
}

/** Throws if a stored key would be sent elsewhere than before. Only an operator who has signed in may do that. */
function refuseKeyElsewhere(kept: string, before: Channel, after: ConfiguredChannel): void {
  const isSame =
    before.provider === after.provider &&
    before.baseUrl === after.baseUrl &&
    sameValue(before.settings, after.settings) &&
    sameValue(before.formats, after.formats);
  if (isSame) return;
  throw new AdminError(
    'invalid_value',
    kept,
    'must be sent again when provider, base_url, settings or formats change: a stored key is only sent to its own upstream',
  );
}

/** Throws unless the address of a PRIVATE channel is on the public internet. Each request is checked again. */
async function refuseInside(
  { providers, addresses }: Pick<ChannelMeans, 'providers' | 'addresses'>,
  { isOperator }: ChannelKeeper,
  wanted: ConfiguredChannel,
): Promise<void> {
  const manifest = providers.get(wanted.provider);
  if (manifest === undefined || !isGuarded({ ...wanted, origin: 'operator' }, manifest)) return;
  const url = wanted.baseUrl ?? usualAddress(wanted, manifest);
  if (url === null) throw new AdminError('invalid_value', 'base_url', 'must be a public URL');
  const remedy =
    'For a private network, declare the channel in the configuration file, or add the range to media.allowed_ranges';
  // A channel gets requests as soon as it is stored, so its name has to resolve.
  await checkStoredAddress(addresses, { url, field: 'base_url', isOperator, remedy, mustResolve: true });
}
