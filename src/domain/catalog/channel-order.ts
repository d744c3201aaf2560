import { compareText } from '../text/compare-text.ts';
import type { Channel } from './channel.ts';

/** The order in which channels are tried and asked what a model is: by priority, then by id. */
export function byPriority(one: Pick<Channel, 'priority' | 'id'>, other: Pick<Channel, 'priority' | 'id'>): number {
  return one.priority - other.priority || compareText(one.id, other.id);
}
