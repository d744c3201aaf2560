import type { Channel, ChannelBlock } from '../../../domain/catalog/channel.ts';
import type { DirectoryStore } from '../../ports/directory-store.ts';
import { standingOf } from './channel-standing.ts';

/**
 * Blocks a channel whose provider rejects its credentials. Resolves to whether this call did it: of many requests rejected at once only the
 * first blocks, and a channel that was deleted in the meantime, or has other credentials than the rejected ones, is left alone.
 */
export async function blockChannel(store: DirectoryStore, refused: Channel, block: ChannelBlock): Promise<boolean> {
  return store.write({ serving: false, channelIds: [refused.id] }, (writer) => {
    const channel = writer.read().channels.find(({ id }) => id === refused.id);
    if (channel === undefined || channel.block !== null) return false;
    const isStillAskedSo = standingOf({ ...refused, block }, channel).block !== null;
    if (!isStillAskedSo) return false;
    writer.putChannel({ ...channel, block });
    return true;
  });
}
