import type { Target } from '../directory/target.ts';

type KeyedTarget = Pick<Target, 'channel' | 'weight'>;

/** Returns whether one of the targets is one of several keys of its channel. */
export function hasSeveralKeys(targets: readonly KeyedTarget[]): boolean {
  for (const { channel } of targets) if (channel.upstreamKey !== undefined) return true;
  return false;
}

/**
 * Returns the weights of targets of which some are keys of the same channel: the keys that can be asked share the weight of their channel,
 * so that a channel's share depends neither on the number of its keys nor on whether some of them rest.
 */
export function keyedWeights(usable: readonly KeyedTarget[]): (target: KeyedTarget) => number {
  const sums = new Map<string, { weight: number; keys: number }>();
  for (const { channel } of usable) {
    if (channel.upstreamKey === undefined) continue;
    const sum = sums.get(channel.id);
    if (sum === undefined) sums.set(channel.id, { weight: channel.upstreamKey.weight, keys: 1 });
    else {
      sum.weight += channel.upstreamKey.weight;
      sum.keys++;
    }
  }
  return ({ channel, weight }) => {
    const sum = sums.get(channel.id);
    if (sum === undefined || channel.upstreamKey === undefined) return weight;
    const share = sum.weight === 0 ? 1 / sum.keys : channel.upstreamKey.weight / sum.weight;
    return weight * share;
  };
}
