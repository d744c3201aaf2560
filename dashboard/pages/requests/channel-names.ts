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

/** Returns the names of the channels with traffic in the last 30 days, by id. Who may not list channels has their traffic, too. */
export function useChannelNames(isWanted = true): ReadonlyMap<string, string> {
  const { query } = useScope();
  // Whole hours, so that queries within one share an answer.
  const toMs = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS;
  const from = new Date(toMs - DAYS * 24 * HOUR_MS).toISOString();
  const to = new Date(toMs).toISOString();
  const sums = { ...query, from, to, group_by: 'channel', limit: MOST };
  const usage = useApi('getUsage', { query: sums }, { enabled: isWanted });
  const rows: readonly ChannelUsage[] | undefined = usage.data?.data;
  return useMemo(
    () =>
      new Map(
        (rows ?? []).flatMap(({ channel, channel_name: name }) =>
          channel == null ? [] : [[channel, name ?? channel] as const],
        ),
      ),
    [rows],
  );
}
