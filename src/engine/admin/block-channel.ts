import type { ChannelBlock } from '../../domain/catalog/channel.ts';
import type { DirectoryStore } from '../ports/directory-store.ts';

/**
 * Takes a channel out of use whose provider refuses its credentials. Resolves to whether this call did it: of many requests
 * that are refused at once only the first one blocks, and a channel that is gone by then is nobody's concern.
 */
export async function blockChannel(store: DirectoryStore, channelId: string, block: ChannelBlock): Promise<boolean> {
  return store.write((writer) => {
    const channel = writer.read().channels.find(({ id }) => id === channelId);
    if (channel === undefined || channel.block !== null) return false;
    writer.putChannel({ ...channel, block });
    return true;
  });
}
