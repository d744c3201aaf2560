import type { Channel } from './channel.ts';
import type { UpstreamKey } from './upstream-key.ts';

/**
 * Returns the channel once for each of its keys that is enabled, with this key's credentials, block and time of reset. A channel with a
 * single `apiKey` is returned unchanged.
 */
export function keyedChannels(channel: Channel): readonly Channel[] {
  const { apiKeys } = channel;
  if (apiKeys === undefined) return [channel];
  return apiKeys.filter(({ enabled }) => enabled).map((key) => keyedChannel(channel, key));
}

/** Returns the channel with the credentials of one of its keys. */
export function keyedChannel(channel: Channel, key: UpstreamKey): Channel {
  return {
    ...channel,
    apiKey: key.key,
    upstreamKey: key,
    block: channel.block ?? key.block,
    resetAtMs: latest(channel.resetAtMs, key.resetAtMs),
  };
}

/** Returns the channel as the key with this id uses it, also if the key is disabled; `null` if the channel has no such key. */
export function channelWithKey(channel: Channel, keyId: string | null): Channel | null {
  const { apiKeys } = channel;
  if (apiKeys === undefined) return keyId === null ? channel : null;
  const key = apiKeys.find(({ id }) => id === keyId);
  return key === undefined ? null : keyedChannel(channel, key);
}

/** Returns the channel with one of its keys, the first enabled one if possible, for questions that any key answers. */
export function withAnyKey(channel: Channel): Channel {
  const { apiKeys } = channel;
  const key = apiKeys?.find(({ enabled }) => enabled) ?? apiKeys?.[0];
  return key === undefined ? channel : keyedChannel(channel, key);
}

function latest(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other;
  return Math.max(one, other);
}
