import { useMemo } from 'react';
import { useApi } from '../../../api/use-api.ts';
import { costOf } from '../../../kit/money.ts';
import { useScope } from '../../../shell/scope.tsx';

const HOUR_MS = 3_600_000;
/** Rounds the time range, so that queries within this interval share an answer. */
const STEP_MS = 300_000;

export interface Traffic {
  readonly requests: number;
  /** The share of all channels' requests: 0 to 1. */
  readonly share: number;
  /** The success rate, 0 to 1; `null` without requests. */
  readonly success: number | null;
  /** `null` if nothing had a price. */
  readonly costUsd: string | null;
}

const NOTHING: Traffic = { requests: 0, share: 0, success: null, costUsd: '0' };

/** Returns the traffic of each channel in the last 24 hours; undefined while loading. */
export function useTraffic(): ((channelId: string) => Traffic) | undefined {
  const { query } = useScope();
  const toMs = Math.ceil(Date.now() / STEP_MS) * STEP_MS;
  const from = new Date(toMs - 24 * HOUR_MS).toISOString();
  const to = new Date(toMs).toISOString();
  const usage = useApi(
    'getUsage',
    { query: { ...query, from, to, group_by: 'channel', limit: 1_000 } },
    { every: 30_000, keepPrevious: true },
  );
  return useMemo(() => {
    if (usage.data === undefined) return undefined;
    const served = usage.data.data.filter(({ channel }) => channel != null);
    const all = served.reduce((sum, { requests }) => sum + requests, 0);
    const byId = new Map(
      served.map(({ channel, requests, errors, ...sums }) => [
        channel,
        {
          requests,
          share: all === 0 ? 0 : requests / all,
          success: requests === 0 ? null : 1 - errors / requests,
          costUsd: costOf(sums),
        },
      ]),
    );
    return (id: string) => byId.get(id) ?? NOTHING;
  }, [usage.data]);
}
