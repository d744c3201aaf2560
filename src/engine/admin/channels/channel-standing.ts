import type { Channel } from '../../../domain/catalog/channel.ts';
import { sameValue } from '../same-value.ts';

export type ChannelStanding = Pick<Channel, 'enabled' | 'block' | 'resetAtMs'>;

/**
 * What stays of a channel that is written anew from a file or the environment, neither of which can say it: the operator's
 * switch, and the gateway's block. Only a change of what the upstream is asked with lifts the block, since it may have been
 * the cure.
 */
export function standingOf(
  before: Channel | undefined,
  after: Pick<Channel, 'provider' | 'baseUrl' | 'apiKey' | 'settings'>,
): ChannelStanding {
  if (before === undefined) return { enabled: true, block: null, resetAtMs: null };
  const isAskedAsBefore =
    before.provider === after.provider &&
    before.baseUrl === after.baseUrl &&
    before.apiKey === after.apiKey &&
    sameValue(before.settings, after.settings);
  return { enabled: before.enabled, block: isAskedAsBefore ? before.block : null, resetAtMs: before.resetAtMs };
}
