import type { Channel, ChannelBlock } from '../../../domain/catalog/channel.ts';
import type { Clock } from '../../ports/clock.ts';
import { type DirectoryScope, type DirectoryStore, SERVING_ONLY } from '../../ports/directory-store.ts';
import { findChannel } from './find-channel.ts';

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
    if (before.enabled === enabled && (!enabled || before.block === null)) {
      return { channel: before, unchanged: true, lifted: null, onlyHere };
    }
    const channel: Channel = enabled
      ? { ...before, enabled, block: null, resetAtMs: clock.nowMs() }
      : { ...before, enabled };
    writer.putChannel(channel);
    return { channel, unchanged: false, lifted: enabled ? before.block : null, onlyHere };
  });
}

/**
 * Returns the scope of a channel of the account, or any one for an operator (`null`), with all channels that could serve its models to the
 * same accounts.
 */
export function rivalScope(accountId: string | null): DirectoryScope {
  return accountId === null ? SERVING_ONLY : { serving: false, channelsOf: [null, accountId] };
}

/** Returns the public models that no other channel in use (enabled, not blocked) serves to all accounts that could use this one. */
export function modelsOnlyIn(channel: Channel, channels: readonly Channel[]): readonly string[] {
  const others = channels.filter(
    ({ id, enabled, block, owner }) =>
      id !== channel.id && enabled && block === null && (owner === null || owner === channel.owner),
  );
  return Object.keys(channel.models).filter((model) => !others.some((other) => Object.hasOwn(other.models, model)));
}
