import type { Channel, ChannelBlock } from '../../../domain/catalog/channel.ts';
import type { DirectoryStore } from '../../ports/directory-store.ts';
import { standingOf } from './channel-standing.ts';

/**
 * Takes a channel out of use whose provider refuses its credentials. Resolves to whether this call did it: of many requests that
 * are refused at once only the first one blocks, and a channel that was deleted meanwhile, or has other credentials than the
 * refused ones, is left alone.
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
