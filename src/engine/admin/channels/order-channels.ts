import type { Channel } from '../../../domain/catalog/channel.ts';
import type { DirectoryStore } from '../../ports/directory-store.ts';
import { AdminError, DeclaredError } from '../admin-error.ts';
import { HIGHEST_PRIORITY, LOWEST_PRIORITY } from '../schema/channel.ts';
import { inOrder } from './read-channels.ts';

/** Ordered from first to last; the channels of one group share requests by weight. */
export type ChannelGroups = readonly (readonly string[])[];

export interface OrderedChannels {
  readonly groups: ChannelGroups;
  /** The channels whose priority has changed. */
  readonly changed: readonly string[];
}

interface WantedOrder {
  /** The account whose PRIVATE channels are ordered; `null` for the PLATFORM ones. */
  readonly accountId: string | null;
  readonly groups: ChannelGroups;
  /** The ids as the caller has seen them listed. */
  readonly seen?: readonly string[] | null | undefined;
}

/**
 * Gives the channels of an account, or all PLATFORM ones, the priorities of this order, in one transaction. Channels of the configuration
 * file keep their priorities, and the others get priorities around them. Channels of the environment stay so, since it states no priority.
 * Throws an `AdminError`: `stale` if the list has changed since the caller read it, `conflict` if the file's priorities do not allow the
 * order.
 */
export async function orderChannels(store: DirectoryStore, wanted: WantedOrder): Promise<OrderedChannels> {
  return store.write({ serving: false, channelsOf: [wanted.accountId] }, (writer) => {
    const own = writer.read().channels.filter(({ owner }) => owner === wanted.accountId);
    const byId = new Map(own.map((channel) => [channel.id, channel]));
    refuseChanged(wanted, own);
    const groups = wanted.groups.map((ids) => ids.flatMap((id) => byId.get(id) ?? []));
    const priorities = prioritiesOf(groups);
    const changed: string[] = [];
    for (const [at, channels] of groups.entries()) {
      for (const channel of channels) {
        const priority = priorities[at] ?? channel.priority;
        if (priority === channel.priority) continue;
        changed.push(channel.id);
        writer.putChannel({ ...channel, priority });
      }
    }
    return { groups: wanted.groups, changed };
  });
}

function refuseChanged({ groups, seen }: WantedOrder, own: readonly Channel[]): void {
  const named = new Set<string>();
  for (const id of groups.flat()) {
    if (named.has(id)) throw new AdminError('invalid_value', 'order', `lists "${id.slice(0, 100)}" twice`);
    named.add(id);
  }
  const there = new Set(inOrder(own).map(({ id }) => id));
  const missing = [...there].find((id) => !named.has(id));
  const unknown = [...named].find((id) => !there.has(id));
  const isAsSeen = seen == null || seen.join(' ') === [...there].join(' ');
  if (missing === undefined && unknown === undefined && isAsSeen) return;
  const how =
    unknown === undefined
      ? missing === undefined
        ? 'the order was changed after you read it'
        : `"${missing}" is missing`
      : `there is no channel "${unknown.slice(0, 100)}"`;
  throw new AdminError('stale', 'order', `must list each channel exactly once: ${how}. Read the list again`);
}

/** Returns one priority per group, in ascending order. */
function prioritiesOf(groups: readonly (readonly Channel[])[]): readonly number[] {
  const fixed = groups.map(fixedOf);
  const result: number[] = [];
  let last: Channel | null = null;
  for (const [at, own] of fixed.entries()) {
    const waiting = at - result.length;
    if (own === null) continue;
    const first = last === null ? own.priority - waiting : last.priority + 1;
    if (own.priority - first < waiting || first < LOWEST_PRIORITY) throw noRoom(own, last);
    for (let number = 0; number < waiting; number += 1) result.push(first + number);
    result.push(own.priority);
    last = own;
  }
  const first = last === null ? 0 : last.priority + 1;
  const open = fixed.length - result.length;
  if (last !== null && last.priority + open > HIGHEST_PRIORITY) throw noRoom(last, null);
  return [...result, ...Array.from({ length: open }, (_, number) => first + number)];
}

/** Returns a channel of the file, which fixes its group's priority, or `null`. */
function fixedOf(group: readonly Channel[]): Channel | null {
  const [first, ...others] = group.filter(({ origin }) => origin === 'config');
  const other = others.find(({ priority }) => priority !== first?.priority);
  if (first === undefined || other === undefined) return first ?? null;
  throw new DeclaredError(
    'conflict',
    'order',
    `"${first.id}" and "${other.id}" have different priorities in the configuration file: change them there, and run "switchyard apply"`,
  );
}

function noRoom(own: Channel, last: Channel | null): DeclaredError {
  const after = last === null ? '' : ` after "${last.id}" (${last.priority})`;
  return new DeclaredError(
    'conflict',
    'order',
    `"${own.id}" has the priority ${own.priority} in the configuration file, which leaves no room for this order${after}: change it there, and run "switchyard apply"`,
  );
}
