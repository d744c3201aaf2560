import type { Channel } from '../../../domain/catalog/channel.ts';
import { sameValue } from '../same-value.ts';

export type ChannelStanding = Pick<Channel, 'enabled' | 'block' | 'resetAtMs'>;

/**
 * Returns the state that a channel keeps when it is rewritten from a file or the environment, neither of which has it: the operator's
 * switch and the gateway's block. Only a change of the upstream's address or credentials lifts the block, because it may have fixed the
 * problem.
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
