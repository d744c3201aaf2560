import { useMemo } from 'react';
import { useApi } from '../../api/use-api.ts';
import { useScope } from '../../shell/scope.tsx';

const HOUR_MS = 3_600_000;
const DAYS = 30;
const MOST = 1_000;

interface ChannelUsage {
  readonly channel?: string | null | undefined;
  readonly channel_name?: string | null | undefined;
}

/**
 * Returns the names of the channels with traffic in the last 30 days, by id: people who may not list channels see those of their requests.
 * Names come from the usage or the log, whichever has them.
 */
export function useChannelNames(isWanted = true): ReadonlyMap<string, string> {
  const { query } = useScope();
  // Whole hours, so that queries within one share an answer.
  const toMs = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS;
  const from = new Date(toMs - DAYS * 24 * HOUR_MS).toISOString();
  const to = new Date(toMs).toISOString();
  const sums = { ...query, from, to, group_by: 'channel', limit: MOST };
  const usage = useApi('getUsage', { query: sums }, { enabled: isWanted });
  const log = useApi('listRequests', { query: { ...query, limit: MOST } }, { enabled: isWanted });
  return useMemo(() => {
    const rows: readonly ChannelUsage[] = [...(usage.data?.data ?? []), ...(log.data?.data ?? [])];
    const names = new Map<string, string>();
    for (const { channel, channel_name: name } of rows) {
      if (channel == null) continue;
      const known = names.get(channel);
      if (known === undefined || known === channel) names.set(channel, name ?? channel);
    }
    return names;
  }, [usage.data, log.data]);
}
