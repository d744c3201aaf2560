import { compareText } from '../text/compare-text.ts';
import type { Channel } from './channel.ts';

/** Compares channels for the order in which they are tried and consulted about a model: by priority, then by id. */
export function byPriority(one: Pick<Channel, 'priority' | 'id'>, other: Pick<Channel, 'priority' | 'id'>): number {
  return one.priority - other.priority || compareText(one.id, other.id);
}
