import type { Channel } from '../../../domain/catalog/channel.ts';
import { notFound } from '../not-found.ts';

/** The channel with this id. Throws an `AdminError` that names the nearest id where there is none. */
export function findChannel(channels: readonly Channel[], id: string): Channel {
  const found = channels.find((channel) => channel.id === id);
  if (found !== undefined) return found;
  throw notFound('channel', id, channels);
}
