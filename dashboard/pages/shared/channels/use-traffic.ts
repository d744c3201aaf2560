import { useMemo } from 'react';
import type { ChannelTraffic } from '../../../api/schema.ts';
import { useWhole } from '../../../api/use-api.ts';
import { useScope } from '../../../shell/scope.tsx';

export interface Traffic extends Omit<ChannelTraffic, 'object' | 'channel'> {
  /** The share of the requests of all listed channels: 0 to 1. */
  readonly share: number;
  /** The success rate, 0 to 1; `null` without requests. */
  readonly success: number | null;
}

export type TrafficOf = (channelId: string) => Traffic | undefined;

/** Returns the traffic of each channel in the last 24 hours; undefined while loading. */
export function useTraffic(kind: 'platform' | 'private' | undefined): TrafficOf | undefined {
  const { query } = useScope();
  const listed = useWhole(
    'listChannelTraffic',
    { query: { ...query, ...(kind && { scope: kind }) } },
    { every: 30_000, keepPrevious: true },
  );
  return useMemo(() => {
    if (listed.data === undefined) return undefined;
    const all = listed.data.reduce((sum, { requests }) => sum + requests, 0);
    const byId = new Map(
      listed.data.map(({ channel, ...traffic }) => {
        const { requests, errors } = traffic;
        const share = all === 0 ? 0 : requests / all;
        return [channel, { ...traffic, share, success: requests === 0 ? null : 1 - errors / requests }] as const;
      }),
    );
    return (id) => byId.get(id);
  }, [listed.data]);
}
