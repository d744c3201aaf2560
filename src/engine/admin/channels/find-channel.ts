import type { Channel } from '../../../domain/catalog/channel.ts';
import { notFound } from '../not-found.ts';

/**
 * Returns the channel with this id; with an account only among its own, without revealing others. Throws an `AdminError` that names the
 * nearest id if it does not exist.
 */
export function findChannel(channels: readonly Channel[], id: string, accountId: string | null = null): Channel {
  const visible = accountId === null ? channels : channels.filter(({ owner }) => owner === accountId);
  const found = visible.find((channel) => channel.id === id);
  if (found !== undefined) return found;
  throw notFound('channel', id, visible);
}
