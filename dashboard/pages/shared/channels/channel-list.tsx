import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Channel } from '../../../api/schema.ts';
import { useChange } from '../../../api/use-api.ts';
import { OrderList } from '../../../kit/order.tsx';
import { useToast } from '../../../kit/toast.tsx';
import { useScope } from '../../../shell/scope.tsx';
import { channelsText } from '../../../text/channels.ts';
import { useText } from '../../../text/text.tsx';
import { type Groups, groupsOf, joinedAbove, movedIn, setApart } from './channel-order.ts';
import { ChannelHeader, ChannelRow, type Placing } from './channel-row.tsx';
import { type ChannelActions, TOUCHED } from './use-channel-actions.ts';
import type { TrafficOf } from './use-traffic.ts';

interface ChannelListProps {
  readonly channels: readonly Channel[];
  readonly providerName: (id: string) => string;
  readonly traffic: TrafficOf | undefined;
  readonly actions: ChannelActions;
}

/** Channels that are not alternatives to each other, such as those of many accounts. */
export function PlainList({ channels, providerName, traffic, actions }: ChannelListProps) {
  const text = useText(channelsText);
  return (
    <div className="min-w-0">
      <ChannelHeader hasHandle={false} />
      <ul aria-label={text.list} className="flex flex-col gap-1.5">
        {channels.map((channel) => (
          <li key={channel.id} className="rounded-md border border-line bg-panel px-3 py-1">
            <ChannelRow
              {...{ channel, actions }}
              providerName={providerName(channel.provider)}
              traffic={traffic?.(channel.id)}
            />
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Channels in the order in which they are tried. */
export function OrderedList({ channels, providerName, traffic, actions }: ChannelListProps) {
  const text = useText(channelsText);
  const { groups, order } = useOrder(channels);
  const byId = new Map(channels.map((channel) => [channel.id, channel]));
  const shown = groups.flatMap((ids) => ids.flatMap((id) => byId.get(id) ?? []));
  return (
    <div className="min-w-0">
      <ChannelHeader hasHandle />
      <OrderList
        label={text.order}
        onOrder={(ids, moved) => void order(movedIn(groups, ids, moved))}
        items={shown.map((channel) => ({
          id: channel.id,
          name: channel.name,
          node: (
            <ChannelRow
              {...{ channel, actions }}
              providerName={providerName(channel.provider)}
              traffic={traffic?.(channel.id)}
              placing={placingOf(channel, groups, byId, order)}
            />
          ),
        }))}
      />
    </div>
  );
}

function placingOf(
  channel: Channel,
  groups: Groups,
  byId: ReadonlyMap<string, Channel>,
  order: (wanted: Groups) => Promise<void>,
): Placing {
  const { id, weight } = channel;
  const own = groups.find((ids) => ids.includes(id)) ?? [];
  const served = new Set(channel.models.map((model) => model.id));
  const others = own.flatMap((one) => byId.get(one) ?? []).filter((other) => other.id !== id && other.enabled);
  const rivals = others.filter(({ models }) => models.some((model) => served.has(model.id)));
  return {
    share: rivals.length === 0 ? null : weight / rivals.reduce((sum, rival) => sum + rival.weight, weight),
    isAlone: own.length < 2,
    hasAbove: groups[0] !== own,
    joinAbove: () => void order(joinedAbove(groups, id)),
    setApart: () => void order(setApart(groups, id)),
  };
}

const key = (groups: Groups) => JSON.stringify(groups.map((ids) => ids.toSorted()));

/** Returns the order, and functions that change it; a change is shown at once. */
function useOrder(channels: readonly Channel[]) {
  const text = useText(channelsText);
  const toast = useToast();
  const { query } = useScope();
  const client = useQueryClient();
  const change = useChange('orderChannels', { touches: TOUCHED });
  const [wanted, setWanted] = useState<Groups>();
  const present = groupsOf(channels);
  const send = (order: Groups, seen?: readonly string[]) =>
    change.mutateAsync({
      query,
      body: { order: order.map((ids) => (ids.length === 1 ? (ids[0] ?? '') : ids)), ...(seen && { seen }) },
    });
  const order = async (next: Groups) => {
    if (key(next) === key(present)) return;
    setWanted(next);
    try {
      await send(
        next,
        channels.map(({ id }) => id),
      );
      toast.done(text.orderSaved, { label: text.undo, run: () => send(present) });
    } catch (error) {
      toast.failed(error instanceof Error ? error : new Error(String(error)));
      // Somebody may have changed the list meanwhile.
      await client.invalidateQueries({ queryKey: ['listChannels'] });
    } finally {
      setWanted(undefined);
    }
  };
  const isKnown = wanted !== undefined && wanted.flat().length === channels.length;
  return { groups: isKnown ? wanted : present, order };
}
