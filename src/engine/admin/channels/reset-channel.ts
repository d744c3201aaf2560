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
    const channel: Channel = { ...before, block: null, resetAtMs: clock.nowMs() };
    writer.putChannel(channel);
    return { channel, lifted: before.block };
  });
}
