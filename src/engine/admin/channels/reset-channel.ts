import type { Channel, ChannelBlock } from '../../../domain/catalog/channel.ts';
import type { Clock } from '../../ports/clock.ts';
import { channelScope, type DirectoryStore } from '../../ports/directory-store.ts';
import { findChannel } from './find-channel.ts';

export interface ResetChannel {
  readonly channel: Channel;
  /** The block that it lifted. */
  readonly lifted: ChannelBlock | null;
}

/**
 * Has every gateway forget what it has learned of a channel's health: it sees the directory change. The operator's switch
 * stays as it is. Throws `AdminError` when there is no such channel.
 */
export async function resetChannel(
  store: DirectoryStore,
  clock: Clock,
  id: string,
  accountId: string | null = null,
): Promise<ResetChannel> {
  return store.write(channelScope(id, accountId), (writer) => {
    const before = findChannel(writer.read().channels, id, accountId);
    const channel: Channel = { ...before, block: null, resetAtMs: clock.nowMs() };
    writer.putChannel(channel);
    return { channel, lifted: before.block };
  });
}
