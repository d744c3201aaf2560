import type { DirectoryStore } from '../../ports/directory-store.ts';
import type { UsageSpan, UsageStore, UsageSum } from '../../ports/usage-store.ts';
import { limitOf, type Page } from '../page.ts';
import { detailedView, total } from '../usage/usage-measures.ts';
import { isoTime } from '../view-fields.ts';
import { channelIds, type WantedChannels } from './read-channels.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
export const TRAFFIC_HOURS = 24;
/** The most channels per page: their hourly sums are read at once. */
export const MOST_TRAFFIC = 400;

interface ChannelTraffic {
  readonly channelId: string;
  /** The hours, oldest first; the last one has begun. */
  readonly spans: readonly UsageSpan[];
  /** The sums of the hours that had requests. */
  readonly sums: readonly UsageSum[];
}

interface Ports {
  readonly directory: Pick<DirectoryStore, 'read'>;
  readonly usage: Pick<UsageStore, 'sum'>;
}

/**
 * Resolves to the recent traffic of a page of channels, in the order of the list: of the account's own channels, or for `null` of any, over
 * all accounts. Throws `AdminError` for an invalid page.
 */
export async function channelTraffic(
  { directory, usage }: Ports,
  nowMs: number,
  { accountId, ...request }: Omit<WantedChannels, 'owner' | 'state'> & { readonly accountId: string | null },
): Promise<Page<ChannelTraffic>> {
  const limit = Math.min(limitOf(request), MOST_TRAFFIC);
  const page = await channelIds(directory, { ...request, limit, owner: accountId ?? undefined });
  const ids = page.items;
  if (ids.length === 0) return { ...page, items: [] };
  const spans = recentHours(nowMs);
  const sums = await usage.sum({
    accountIds: accountId === null ? null : [accountId],
    ...{ spans, groupBy: ['channelId'], channelIds: ids, tags: null, withLatencies: true },
    limit: ids.length * spans.length,
  });
  const sumsOf = Map.groupBy(sums, ({ channelId }) => channelId);
  const items = ids.map((channelId) => ({ channelId, spans, sums: sumsOf.get(channelId) ?? [] }));
  return { ...page, items };
}

/** Returns the current hour (UTC) up to the end of the current minute, after the hours before it. */
function recentHours(nowMs: number): readonly UsageSpan[] {
  const toMs = (Math.floor(nowMs / MINUTE_MS) + 1) * MINUTE_MS;
  const lastMs = Math.floor(nowMs / HOUR_MS) * HOUR_MS;
  return Array.from({ length: TRAFFIC_HOURS }, (_, place) => {
    const fromMs = lastMs - (TRAFFIC_HOURS - 1 - place) * HOUR_MS;
    return { fromMs, toMs: Math.min(fromMs + HOUR_MS, toMs) };
  });
}

/** Returns the traffic of a channel as JSON. */
export function channelTrafficView({ channelId, spans, sums }: ChannelTraffic) {
  const requests = new Array<number>(spans.length).fill(0);
  const errors = new Array<number>(spans.length).fill(0);
  for (const sum of sums) {
    requests[sum.span] = sum.requests;
    errors[sum.span] = sum.errors;
  }
  return {
    channel: channelId,
    from: isoTime(spans[0]?.fromMs ?? 0),
    to: isoTime(spans.at(-1)?.toMs ?? 0),
    ...detailedView(total(sums)),
    requests_by_hour: requests,
    errors_by_hour: errors,
  };
}
